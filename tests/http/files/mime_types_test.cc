#include "http/files/mime_types.h"

#include <gtest/gtest.h>

namespace ssx::http {
namespace {

TEST(MimeTypes, KnowWhatWebSitesAreMadeOf) {
  const MimeTypes types;
  EXPECT_EQ(types.of("index.html"), "text/html; charset=utf-8");
  EXPECT_EQ(types.of("a/b/style.css"), "text/css; charset=utf-8");
  EXPECT_EQ(types.of("app.js"), "text/javascript; charset=utf-8");
  EXPECT_EQ(types.of("app.mjs"), "text/javascript; charset=utf-8");
  EXPECT_EQ(types.of("data.json"), "application/json");
  EXPECT_EQ(types.of("logo.svg"), "image/svg+xml");
  EXPECT_EQ(types.of("favicon.ico"), "image/vnd.microsoft.icon");
  EXPECT_EQ(types.of("font.woff2"), "font/woff2");
  EXPECT_EQ(types.of("module.wasm"), "application/wasm");
}

TEST(MimeTypes, DoNotCareAboutCase) {
  const MimeTypes types;
  EXPECT_EQ(types.of("INDEX.HTML"), types.of("index.html"));
  EXPECT_EQ(types.of("a.PnG"), "image/png");
}

TEST(MimeTypes, LookBehindTheLastDotOfTheLastSegment) {
  const MimeTypes types;
  EXPECT_EQ(types.of("archive.tar.gz"), "application/gzip");
  EXPECT_EQ(types.of("folder.html/readme"), MimeTypes::kUnknown);
  EXPECT_EQ(types.of("jquery.min.js"), "text/javascript; charset=utf-8");
}

TEST(MimeTypes, SayBytesOfWhatTheyDoNotKnow) {
  const MimeTypes types;
  for (const char* path :
       {"", "readme", "a.", "a.unknown", ".html", "folder/.css", "a.html/", "."}) {
    EXPECT_EQ(types.of(path), "application/octet-stream") << path;
  }
}

TEST(MimeTypes, LetTheConfigurationWin) {
  const MimeTypes types({{"html", "text/x-own"}, {".MD", "text/plain"}, {"xyz", "chemical/x-xyz"}});
  EXPECT_EQ(types.of("a.html"), "text/x-own");
  EXPECT_EQ(types.of("a.md"), "text/plain");
  EXPECT_EQ(types.of("a.xyz"), "chemical/x-xyz");
  EXPECT_EQ(types.of("a.css"), "text/css; charset=utf-8");
}

}  // namespace
}  // namespace ssx::http
