// What a plugin answers at once, and what it does wrong at that.
#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/plugin/host/plugin_fixture.h"
#include "tests/support/captured_log.h"
#include "tests/support/temp_dir.h"

namespace ssx::plugins {
namespace {

using test::text;
using testing::Contains;
using testing::HasSubstr;

class PluginAnswers : public test::PluginTest {
 protected:
  using Act = std::function<std::int32_t(ssxrver_exchange*, ssxrver_operation*)>;

  /// "/fake" does so.
  void handle(Act act) {
    plugin.on_create = [this, act = std::move(act)](ssxrver_error*) {
      return plugin.route("GET", "", [act](const auto*, auto* exchange, auto* started) {
        return act(exchange, started);
      });
    };
    serve();
  }
  /// "/fake" answers so.
  void answer_with(std::function<void(ssxrver_response&)> fill) {
    handle([this, fill = std::move(fill)](ssxrver_exchange* exchange, auto*) {
      ssxrver_response response{};
      response.size = sizeof(response);
      response.status = 200;
      fill(response);
      plugin.http().answer(exchange, &response);
      return SSXRVER_OK;
    });
  }
  static void release(void* owner) {
    delete static_cast<std::string*>(owner);
    ++test::FakePlugin::current()->begun;
  }
  /// Of bodies.
  [[nodiscard]] int released() const { return plugin.begun; }
  static void own(ssxrver_response& response, std::string body) {
    auto kept = std::make_unique<std::string>(std::move(body));
    response.body_kind = SSXRVER_BODY_OWNED;
    response.body = text(*kept);
    response.owner = kept.release();
    response.release = &release;
  }
};

TEST_F(PluginAnswers, WithALiteral) {
  answer_with([](ssxrver_response& response) {
    response.body_kind = SSXRVER_BODY_STATIC;
    response.body = text("Hello world!");
  });
  const auto answer = ask("/fake");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "Hello world!");
  EXPECT_EQ(answer.field("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(count(&Counters::calls), 1U);
  EXPECT_EQ(count(&Counters::failures), 0U);
}

TEST_F(PluginAnswers, WithFieldsAndATypeAndTheEndOfTheConnection) {
  answer_with([](ssxrver_response& response) {
    static constexpr ssxrver_field kFields[] = {{text("X-One"), text("1")},
                                                {text("X-Two"), text("2")}};
    response.status = 418;
    response.fields = kFields;
    response.field_count = 2;
    response.content_type = text("application/x-tea");
    response.body_kind = SSXRVER_BODY_COPY;
    response.body = text("tea");
    response.close = 1;
  });
  const auto answer = ask("/fake");
  EXPECT_EQ(answer.status, 418);
  EXPECT_EQ(answer.field("X-One") + answer.field("X-Two"), "12");
  EXPECT_EQ(answer.field("Content-Type"), "application/x-tea");
  EXPECT_EQ(answer.field("Connection"), "close");
  EXPECT_EQ(answer.body, "tea");
}

TEST_F(PluginAnswers, WithoutATypeWhenItWantsNone) {
  answer_with([](ssxrver_response& response) {
    response.content_type = text("");
    response.body_kind = SSXRVER_BODY_STATIC;
    response.body = text("x");
  });
  EXPECT_EQ(ask("/fake").count("Content-Type"), 0U);
}

TEST_F(PluginAnswers, WithAStatusThatGetsAPage) {
  answer_with([](ssxrver_response& response) { response.status = 404; });
  const auto answer = ask("/fake");
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr("404 Not Found"));
}

TEST_F(PluginAnswers, WithABodyOfItsOwnThatIsReleasedOnce) {
  answer_with([](ssxrver_response& response) { own(response, std::string(100'000, 'o')); });
  EXPECT_EQ(ask("/fake").body, std::string(100'000, 'o'));
  EXPECT_TRUE(wait_until([this] { return released() == 1; }));
  end();
  EXPECT_EQ(released(), 1);
}

TEST_F(PluginAnswers, WithAFile) {
  const ssx::test::TempDir folder;
  folder.write("note", "from a file");
  answer_with([path = folder.file("note")](ssxrver_response& response) {
    response.body_kind = SSXRVER_BODY_FILE;
    response.body = text(path);
  });
  EXPECT_EQ(ask("/fake").body, "from a file");
}

TEST_F(PluginAnswers, WithAFileThatIsNone) {
  ssx::test::CapturedLog log;
  std::string path = "/nowhere/at/all";
  answer_with([&path](ssxrver_response& response) {
    response.body_kind = SSXRVER_BODY_FILE;
    response.body = text(path);
  });
  EXPECT_EQ(ask("/fake").status, 500);
  EXPECT_THAT(log.lines(), Contains(HasSubstr("plugin fake: GET /fake: /nowhere/at/all: ")));
  path = "/";
  EXPECT_EQ(ask("/fake").status, 500);
}

TEST_F(PluginAnswers, AsAPluginThatKnowsLessMembers) {
  answer_with([](ssxrver_response& response) {
    response.size = offsetof(ssxrver_response, owner);
    response.body_kind = SSXRVER_BODY_STATIC;
    response.body = text("older");
    response.release = &release;  // behind its end: nobody looks at it
  });
  EXPECT_EQ(ask("/fake").body, "older");
}

TEST_F(PluginAnswers, ThatMayNotBeSentAre500) {
  static constexpr ssxrver_field kBroken{text("X\nY"), text("1")};
  static constexpr ssxrver_field kServers{text("Content-Length"), text("1")};
  const std::vector<std::function<void(ssxrver_response&)>> bad = {
      [](ssxrver_response& response) { response.status = 199; },
      [](ssxrver_response& response) { response.status = 600; },
      [](ssxrver_response& response) { response.body_kind = 77; },
      [](ssxrver_response& response) {  // a stream without begin()
        own(response, "");
        response.body_kind = SSXRVER_BODY_STREAM;
      },
      [](ssxrver_response& response) { response.content_type = text("a\r\nX: y"); },
      [](ssxrver_response& response) {
        response.fields = &kBroken;
        response.field_count = 1;
        own(response, "never sent");
      },
      [](ssxrver_response& response) {
        response.fields = &kServers;
        response.field_count = 1;
      },
  };
  const auto next = std::make_shared<std::atomic<std::size_t>>(0);
  // It keeps all that it uses: it may return when the test has ended.
  answer_with([bad, next](ssxrver_response& response) { bad[*next](response); });
  for (; *next < bad.size(); ++*next) EXPECT_EQ(ask("/fake").status, 500) << *next;
  EXPECT_EQ(count(&Counters::failures), bad.size());
  EXPECT_EQ(released(), 2);
}

TEST_F(PluginAnswers, ByFailing) {
  ssx::test::CapturedLog log;
  handle([this](ssxrver_exchange* exchange, auto*) {
    plugin.http().fail(exchange, text("no more paper"));
    return SSXRVER_ERROR;
  });
  EXPECT_EQ(ask("/fake").status, 500);
  EXPECT_THAT(log.lines(), Contains("plugin fake: GET /fake: no more paper"));
  EXPECT_EQ(count(&Counters::failures), 1U);
}

TEST_F(PluginAnswers, WithAnErrorAndNoWord) {
  ssx::test::CapturedLog log;
  handle([](auto*, auto*) { return SSXRVER_UNAVAILABLE; });
  EXPECT_EQ(ask("/fake").status, 500);
  EXPECT_THAT(log.lines(), Contains("plugin fake: GET /fake: what it depends on is not there now"));
}

TEST_F(PluginAnswers, ThatNeverCome) {
  ssx::test::CapturedLog log;
  handle([](auto*, auto*) { return SSXRVER_OK; });
  EXPECT_EQ(ask("/fake").status, 500);
  EXPECT_THAT(log.lines(), Contains("plugin fake: GET /fake: it gave no answer"));
  EXPECT_EQ(count(&Counters::misuses), 1U);
}

TEST_F(PluginAnswers, ThatComeTwice) {
  ssx::test::CapturedLog log;
  handle([this](ssxrver_exchange* exchange, auto*) {
    plugin.answer(exchange, "first");
    ssxrver_response second{};
    second.size = sizeof(second);
    own(second, "second");
    plugin.http().answer(exchange, &second);
    plugin.http().fail(exchange, text("third"));
    return SSXRVER_OK;
  });
  EXPECT_EQ(ask("/fake").body, "first");
  EXPECT_EQ(count(&Counters::misuses), 2U);
  EXPECT_EQ(released(), 1) << "what was dropped is released";
  EXPECT_THAT(log.lines(), Contains("plugin fake: GET /fake: it answered a second time"));
}

TEST_F(PluginAnswers, WithAnErrorBehindThem) {
  handle([this](ssxrver_exchange* exchange, auto*) {
    plugin.answer(exchange, "never mind");
    return SSXRVER_ERROR;
  });
  EXPECT_EQ(ask("/fake").status, 500);
}

TEST_F(PluginAnswers, ByThrowing) {
  ssx::test::CapturedLog log;
  handle([](auto*, auto*) -> std::int32_t { throw std::runtime_error("over the border"); });
  EXPECT_EQ(ask("/fake").status, 500);
  EXPECT_THAT(log.lines(), Contains("plugin fake: GET /fake: it threw across the border: over the "
                                    "border"));
}

TEST_F(PluginAnswers, LaterWithoutHavingSaidSo) {
  handle([this](auto*, ssxrver_operation* started) {
    *started = {[](void* state) { ++static_cast<test::FakePlugin*>(state)->cancelled; }, &plugin};
    return SSXRVER_PENDING;
  });
  EXPECT_EQ(ask("/fake").status, 500);
  EXPECT_EQ(plugin.cancelled, 1);
}

TEST_F(PluginAnswers, ToNobody) {
  handle([this](ssxrver_exchange* exchange, auto*) {
    const ssxrver_response response{};
    plugin.http().answer(nullptr, &response);
    plugin.http().answer(exchange, nullptr);
    plugin.http().fail(nullptr, {});
    plugin.answer(exchange, "well");
    return SSXRVER_OK;
  });
  EXPECT_EQ(ask("/fake").body, "well");
}

}  // namespace
}  // namespace ssx::plugins
