#include "ssxrver/config/bind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ssxrver/config/kinds.h"
#include "tests/config/fixture.h"

namespace ssx::config {
namespace {

using namespace std::chrono_literals;
using test::Reading;
using ::testing::ElementsAre;

struct Wheel {
  int size = 20;
  bool operator==(const Wheel&) const = default;
};

struct Car {
  std::string name = "none";
  std::uint16_t doors = 4;
  std::chrono::seconds service{60};
  Wheel spare;
  std::vector<Wheel> wheels;
  bool is_electric = false;
  int tank = 50;
  bool operator==(const Car&) const = default;
};

std::shared_ptr<const Table<Wheel>> wheel_table() {
  Table<Wheel> table;
  table.key("size", &Wheel::size, Whole{{10, 30}}, Reload::kLive, "in inches").hardened(25);
  return std::make_shared<const Table<Wheel>>(std::move(table));
}

Table<Car> car_table() {
  Table<Car> table;
  table.key("name", &Car::name, Text{}, Reload::kLive, "of the car").alias("naem");
  table
      .key("doors", &Car::doors, Whole{{.min = 2, .max = 5, .low_means_default = true}},
           Reload::kLive, "")
      .hardened(2);
  table.key("service", &Car::service, Time{}, Reload::kRestart, "");
  table.key("is_electric", &Car::is_electric, Switch{}, Reload::kLive, "");
  table.key("tank", &Car::tank, Whole{{0, 100}}, Reload::kLive, "")
      .only_if([](const Car& car) { return !car.is_electric; }, "a car with an engine")
      .unset_if([](const Car& car) { return car.tank == 0; });
  table.object("spare", &Car::spare, wheel_table(), "");
  table.list<decltype(&Car::wheels), Wheel>(
      "wheels", &Car::wheels, wheel_table(), [](const Car& car) { return car.spare; }, 2,
      Reload::kLive, "");
  table.later(R"({"radio": "off"})");
  return table;
}

struct Outcome {
  Car car;
  std::vector<std::string> errors;
};

Outcome load(std::string_view text) {
  Reading reading(text);
  Outcome outcome;
  car_table().read(reading.reader(), reading.root(), outcome.car);
  outcome.errors = reading.errors();
  return outcome;
}

TEST(Table, FillsTheFieldsOfAStruct) {
  const auto [car, errors] = load(R"({"name": "a", "doors": "3", "service": "2m",
      "spare": {"size": 15}, "wheels": [{"size": 16}, {}], "tank": 10, "radio": false})");
  EXPECT_THAT(errors, ElementsAre());
  EXPECT_EQ(car, (Car{"a", 3, 120s, {15}, {{16}, {15}}, false, 10}));
}

TEST(Table, LeavesDefaultsWhereNothingIsSaid) {
  EXPECT_EQ(load("{}").car, Car());
  EXPECT_EQ(load(R"({"doors": 0})").car, Car());
}

TEST(Table, ReportsEveryProblemWithItsPointer) {
  const auto [car, errors] = load(
      "{\"doors\": 9, \"spare\": {\"siez\": 1}, \"radio\": \"on\",\n"
      " \"wheels\": [{\"size\": 9}, {\"x\": 1}], \"naem\": 5}");
  EXPECT_THAT(errors,
              ElementsAre("t:1:11: /doors: expected a number, 2 .. 5, found 9",
                          "t:1:24: /spare/siez: unknown key; did you mean \"size\"?",
                          "t:1:45: /radio: \"on\" is not in this build; accepted so far: \"off\"",
                          "t:2:22: /wheels/0/size: expected a number, 10 .. 30, found 9",
                          "t:2:27: /wheels/1/x: unknown key; known here: size",
                          "t:2:45: /naem: expected text, found 5"));
  EXPECT_EQ(car.doors, 4);
}

TEST(Table, WantsObjectsAndListsWhereTheyBelong) {
  EXPECT_THAT(load("[]").errors, ElementsAre("t:1:1: expected an object, found []"));
  EXPECT_THAT(load(R"({"spare": 1})").errors,
              ElementsAre("t:1:11: /spare: expected an object, found 1"));
  EXPECT_THAT(load(R"({"wheels": {}})").errors,
              ElementsAre("t:1:12: /wheels: expected a list of objects, found {}"));
  EXPECT_THAT(load(R"({"wheels": [1]})").errors,
              ElementsAre("t:1:13: /wheels/0: expected an object, found 1"));
}

TEST(Table, BoundsItsLists) {
  EXPECT_THAT(load(R"({"wheels": [{}, {}]})").errors, ElementsAre());
  EXPECT_THAT(load(R"({"wheels": [{}, {}, {}]})").errors,
              ElementsAre("t:1:12: /wheels: expected at most 2 entries, found [{}, {}, {}]"));
}

TEST(Table, RefusesAKeyThatBelongsToOthers) {
  EXPECT_THAT(load(R"({"tank": 5, "is_electric": "on"})").errors,
              ElementsAre("t:1:10: /tank: belongs to a car with an engine"));
}

TEST(Table, TakesAnAliasAndComparesTheTwo) {
  EXPECT_EQ(load(R"({"naem": "x"})").car.name, "x");
  EXPECT_THAT(load(R"({"naem": "x", "name": "x"})").errors, ElementsAre());
  EXPECT_THAT(load(R"({"naem": "x", "name": "y"})").errors,
              ElementsAre("t:1:10: /naem: is the same key as \"name\", which has another value"));
}

TEST(Table, WritesWhatItReads) {
  Car car{"b", 2, 90s, {11}, {{12}}, false, 7};
  const std::string text = json::write(car_table().write(car), -1);
  EXPECT_EQ(text, R"({"name": "b", "doors": 2, "service": "90s", "is_electric": "off", )"
                  R"("tank": 7, "spare": {"size": 11}, "wheels": [{"size": 12}], "radio": "off"})");
  EXPECT_EQ(load(text).car, car);
}

TEST(Table, LeavesOutWhatIsUnsetOrBelongsToOthers) {
  Car car;
  car.tank = 0;
  EXPECT_EQ(car_table().write(car).find("tank"), nullptr);
  car.tank = 5;
  car.is_electric = true;
  EXPECT_EQ(car_table().write(car).find("tank"), nullptr);
}

TEST(Table, HardensDefaults) {
  Car car;
  car_table().harden(car);
  EXPECT_EQ(car.doors, 2);
  EXPECT_EQ(car.spare.size, 25);
  EXPECT_EQ(car.tank, 50);
}

TEST(Table, DescribesItsKeys) {
  Car hardened;
  car_table().harden(hardened);
  const auto all = car_table().describe(Car(), hardened);
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all[0].alias, "naem");
  EXPECT_EQ(json::write(all[1].standard), "4");
  EXPECT_EQ(json::write(all[1].hardened), "2");
  EXPECT_EQ(all[2].reload, Reload::kRestart);
  EXPECT_EQ(all[4].only_for, "a car with an engine");
  EXPECT_EQ(all[5].children.at(0).name, "size");
  EXPECT_TRUE(all[6].is_list);
  EXPECT_EQ(all[6].children.at(0).range, "10 .. 30");
  EXPECT_FALSE(all[7].is_built);
}

TEST(Table, MergesTheKeysOfAnother) {
  Table<Car> table;
  table.key("is_electric", &Car::is_electric, Switch{}, Reload::kLive, "");
  table.merge(
      &Car::spare, *wheel_table(), [](const Car& car) { return car.is_electric; }, "e-cars");
  Reading good(R"({"is_electric": true, "size": 12})");
  Car car;
  table.read(good.reader(), good.root(), car);
  EXPECT_EQ(good.complaint(), "");
  EXPECT_EQ(car.spare.size, 12);
  EXPECT_EQ(json::write(table.write(car), -1), R"({"is_electric": "on", "size": 12})");
  Reading bad(R"({"size": 12})");
  Car other;
  table.read(bad.reader(), bad.root(), other);
  EXPECT_EQ(bad.complaint(), "/size: belongs to e-cars");
}

const char* object_to_shout(const std::string& name) {
  return name == "LOUD" ? "a name in small letters" : nullptr;
}

struct Garage {
  std::map<std::string, Wheel> wheels;
  int size = 20;
};

Table<Garage> garage_table() {
  Table<Garage> table;
  table.key("size", &Garage::size, Whole{{10, 30}}, Reload::kLive, "of wheels");
  table.read_first("size");
  table.map<decltype(&Garage::wheels), Wheel>(
      "wheels", &Garage::wheels, wheel_table(),
      [](const Garage& garage) {
        Wheel wheel;
        wheel.size = garage.size;
        return wheel;
      },
      {.count_max = 2, .objection = object_to_shout}, Reload::kRestart, "by name");
  return table;
}

TEST(Table, ReadsEntriesWithNames) {
  const auto table = garage_table();
  Reading good(R"({"wheels": {"b": {"size": 12}, "a": {}}, "size": 15})");
  Garage garage;
  garage.wheels["gone"];
  table.read(good.reader(), good.root(), garage);
  EXPECT_EQ(good.complaint(), "");
  ASSERT_EQ(garage.wheels.size(), 2U);
  EXPECT_EQ(garage.wheels["a"].size, 15);
  EXPECT_EQ(garage.wheels["b"].size, 12);
  EXPECT_EQ(json::write(*table.write(garage).find("wheels")->find("b")),
            json::write(wheel_table()->write(garage.wheels["b"])));
  const auto facts = table.describe(Garage(), Garage());
  EXPECT_TRUE(facts[1].is_map);
  EXPECT_EQ(facts[1].range, "at most 2");
  EXPECT_EQ(json::write(facts[1].standard, -1), "{}");
  EXPECT_EQ(facts[1].children.at(0).name, "size");
}

TEST(Table, RefusesEntriesThatAreNone) {
  const auto complaint = [](const char* text) {
    Reading reading(text);
    Garage garage;
    garage_table().read(reading.reader(), reading.root(), garage);
    return reading.complaint();
  };
  EXPECT_EQ(complaint(R"({"wheels": []})"), "/wheels: expected an object of objects, found []");
  EXPECT_EQ(complaint(R"({"wheels": {"LOUD": {}}})"),
            "/wheels/LOUD: expected a name in small letters");
  EXPECT_EQ(complaint(R"({"wheels": {"a": 1}})"), "/wheels/a: expected an object, found 1");
  EXPECT_EQ(complaint(R"({"wheels": {"a": {"size": 9}}})"),
            "/wheels/a/size: expected a number, 10 .. 30, found 9");
  EXPECT_EQ(complaint(R"({"wheels": {"a": {}, "b": {}}})"), "");
  EXPECT_EQ(complaint(R"({"wheels": {"a": {}, "b": {}, "c": {}}})"),
            "/wheels: expected at most 2 entries, found {\"a\": {}, \"b\": {}, \"c\": {}}");
}

TEST(Table, AppliesARuleBetweenKeys) {
  Table<Car> table;
  table.key("doors", &Car::doors, Whole{{2, 5}}, Reload::kLive, "");
  table.check([](Reader& reader, const json::Value& value, Car& car) {
    if (car.doors == 3) reader.error(value, "three is odd");
  });
  Reading reading(R"({"doors": 3})");
  Car car;
  table.read(reading.reader(), reading.root(), car);
  EXPECT_EQ(reading.complaint(), "three is odd");
}

}  // namespace
}  // namespace ssx::config
