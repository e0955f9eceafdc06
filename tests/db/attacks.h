// Texts that have broken programs which put SQL together: each is a value like any other, and none
// is a name. All are UTF-8; kBrokenTexts are not, and are no text at all.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ssx::db {

using std::string_view_literals::operator""sv;

inline constexpr auto kAttacks = std::to_array<std::string_view>({
    // Out of the quotes, and back.
    "'"sv,
    "''"sv,
    "'''"sv,
    "\""sv,
    "\"\""sv,
    "`"sv,
    "``"sv,
    "\\"sv,
    "\\\\"sv,
    "\\'"sv,
    "\\''"sv,
    "'\\''"sv,
    "\\\""sv,
    "\\`"sv,
    "'\""sv,
    "`'\""sv,
    "[name]"sv,
    "name]"sv,
    "$$"sv,
    "$tag$'$tag$"sv,
    // Always true.
    "' OR '1'='1"sv,
    "' OR 1=1 -- "sv,
    "' OR 1=1#"sv,
    "' OR 1=1/*"sv,
    "') OR ('1'='1"sv,
    "')) OR 1=1 -- "sv,
    "\" OR \"\"=\""sv,
    "\" OR 1=1 -- "sv,
    "` OR 1=1 -- "sv,
    "1 OR 1=1"sv,
    "1) OR (1=1"sv,
    "' || '1'='1"sv,
    "' OR 'x' LIKE '%"sv,
    "'='"sv,
    "'-'"sv,
    "'+'"sv,
    "' '"sv,
    "'^'"sv,
    "'*'"sv,
    "' OR ''='"sv,
    "' OR name IS NOT NULL -- "sv,
    "' OR id=id -- "sv,
    "x' AND 1=0 UNION ALL SELECT 1,word FROM secret -- "sv,
    "admin' -- "sv,
    "admin'/*"sv,
    "admin'#"sv,
    "admin'\0 -- "sv,
    "' OR TRUE -- "sv,
    // Several statements.
    "'; DROP TABLE thing; -- "sv,
    "'; DELETE FROM secret; -- "sv,
    "1; DROP TABLE thing"sv,
    "x'); DELETE FROM thing; -- "sv,
    "'; UPDATE secret SET word='x'; -- "sv,
    "\\'; DROP TABLE thing -- "sv,
    "';DELIMITER //"sv,
    "'; ATTACH DATABASE '/tmp/x' AS x; -- "sv,
    "'; PRAGMA writable_schema=1; -- "sv,
    "'; SET GLOBAL general_log=1; -- "sv,
    ";"sv,
    ";;"sv,
    // Other tables, functions, files, time.
    "' UNION SELECT id, word FROM secret -- "sv,
    "' UNION SELECT NULL,NULL,NULL -- "sv,
    "-1 UNION SELECT 1, 2"sv,
    "(SELECT word FROM secret LIMIT 1)"sv,
    "' AND (SELECT COUNT(*) FROM secret) > 0 -- "sv,
    "' AND SLEEP(30) -- "sv,
    "' AND BENCHMARK(100000000,MD5(1)) -- "sv,
    "LOAD_FILE('/etc/passwd')"sv,
    "' INTO OUTFILE '/tmp/x' -- "sv,
    "' AND EXTRACTVALUE(1,CONCAT(0x7e,VERSION())) -- "sv,
    "load_extension('x')"sv,
    "randomblob(1000000000)"sv,
    "@@version"sv,
    "@x:=1"sv,
    "CHAR(39)"sv,
    "0x27204f5220313d31"sv,
    "X'27'"sv,
    "_binary'x'"sv,
    "N'x'"sv,
    "{fn now()}"sv,
    // Comments.
    "--"sv,
    "-- "sv,
    "#"sv,
    "/*"sv,
    "*/"sv,
    "/**/"sv,
    "/*!50000 OR 1=1*/"sv,
    "/*!OR*/1"sv,
    "/*M!100000 OR 1=1 */"sv,
    "'/**/OR/**/1=1/**/-- "sv,
    "-- \n OR 1=1"sv,
    "#\n OR 1=1"sv,
    // Places of parameters.
    "?"sv,
    "??"sv,
    "'?'"sv,
    "?1"sv,
    ":name"sv,
    "@name"sv,
    "$name"sv,
    "$1"sv,
    "%s"sv,
    "{}"sv,
    "%27"sv,
    // Bytes that end things elsewhere.
    "\0"sv,
    "a\0b"sv,
    "\0' OR 1=1 -- "sv,
    "a\0"sv,
    "\x1a"sv,
    "\r\n"sv,
    "\t"sv,
    "\b"sv,
    "\x7f"sv,
    "a\\\0b"sv,
    "\\0"sv,
    "\\x27"sv,
    "\\u0027"sv,
    "&#39;"sv,
    "%bf%27"sv,
    // Characters that look like others, or become them in another character set.
    "\xca\xbc OR 1=1 -- "sv,       // U+02BC, which best fit makes '
    "\xe2\x80\x99 OR 1=1 -- "sv,   // U+2019
    "\xef\xbc\x87 OR 1=1 -- "sv,   // U+FF07
    "\xc2\xa5' OR 1=1 -- "sv,      // U+00A5, the backslash of Shift-JIS
    "\xe7\xb8\x97' OR 1=1 -- "sv,  // U+7E17 ends in a backslash in GBK
    "\xc2\xbf' OR 1=1 -- "sv,      // U+00BF and a quote: 0xBF27 in Latin-1
    "\xd0\xb0\xd0\xb4min"sv,
    "adm\xc4\xb1n"sv,
    "ADMIN"sv,
    "admin"sv,
    "Admin"sv,
    "\xc3\xa1"
    "dmin"sv,
    "admin "sv,
    " admin"sv,
    "admin\t"sv,
    "admin\xc2\xa0"sv,
    "adm\xe2\x80\x8bin"sv,
    "\xe2\x80\xae' OR 1=1 -- "sv,
    "\xef\xbb\xbf"sv,
    "\xf0\x9f\x98\x80"sv,
    "\xf0\x9f\x92\xa9' -- "sv,
    "e\xcc\x81"sv,
    "\xc3\xa9"sv,
    "\xef\xbf\xbf"sv,
    "\xf4\x8f\xbf\xbf"sv,
    "\xc2\x80"sv,
    "\xc2\x85"sv,
    // Wildcards.
    "%"sv,
    "_"sv,
    "%%"sv,
    "a%"sv,
    "%' OR '1'='1"sv,
    "[a-z]"sv,
    "*"sv,
    "\\%"sv,
    "\\_"sv,
    "%\\"sv,
    // Words that mean something elsewhere.
    ""sv,
    " "sv,
    "NULL"sv,
    "null"sv,
    "true"sv,
    "TRUE"sv,
    "undefined"sv,
    "NaN"sv,
    "Infinity"sv,
    "DEFAULT"sv,
    "CURRENT_USER"sv,
    "rowid"sv,
    "__proto__"sv,
    "constructor"sv,
    "prototype"sv,
    "toString"sv,
    "hasOwnProperty"sv,
    "$where"sv,
    "$gt"sv,
    "$ne"sv,
    "{\"$gt\": \"\"}"sv,
    "[\"name\"]"sv,
    "{\"!=\": 1}"sv,
    "name = name"sv,
    "thing"sv,
    "secret"sv,
    "secret.word"sv,
    "sqlite_master"sv,
    "information_schema.tables"sv,
    "mysql.user"sv,
    "main.thing"sv,
    "thing.name"sv,
    "0"sv,
    "1"sv,
    "-1"sv,
    "01"sv,
    "1.0"sv,
    "1e0"sv,
    "0x1"sv,
    "0b1"sv,
    "1abc"sv,
    "9223372036854775808"sv,
    "in"sv,
    "(1)"sv,
    "1,2"sv,
    "0,10"sv,
    "1 OFFSET 1"sv,
    "asc"sv,
    "desc, 1"sv,
    "id desc"sv,
    "1 DESC"sv,
});

/// Not UTF-8: half characters that swallow a quote or a backslash, long forms of a quote, halves of
/// pairs.
inline constexpr auto kBrokenTexts = std::to_array<std::string_view>({
    "\xbf\x27 OR 1=1 -- "sv,
    "\xbf\x5c\x27 OR 1=1 -- "sv,
    "\x81\x27"sv,
    "\x95\x5c"sv,
    "\xe5\x27"sv,
    "\xc0\xa7 OR 1=1 -- "sv,
    "\xe0\x80\xa7"sv,
    "\xf0\x80\x80\xa7"sv,
    "\xc0\x80"sv,
    "\xc1\x9c'"sv,
    "\xed\xa0\x80\xed\xb0\x80"sv,
    "\xf4\x90\x80\x80"sv,
    "\xff"sv,
    "\xfe\xff"sv,
    "a\xc3"sv,
    "\x80"sv,
    "\xe2\x80"sv,
    "\xf8\x88\x80\x80\x80"sv,
});

/// All of them, every ASCII byte between letters, and some that are long.
inline std::vector<std::string> all_attacks() {
  std::vector<std::string> all(kAttacks.begin(), kAttacks.end());
  for (int byte = 0; byte < 128; ++byte)
    all.push_back("x" + std::string(1, static_cast<char>(byte)) + "y");
  for (const char quote : {'\'', '"', '`', '\\'}) {
    all.emplace_back(999, quote);
    all.emplace_back(1000, quote);
    for (const auto* tail : {" -- ", "#", "/*", ";--", "\n"}) {
      all.push_back(std::string(1, quote) + ") OR (1=1)" + tail);
    }
  }
  return all;
}

}  // namespace ssx::db
