const openings = ["'", '"', "')", "';", '\\', "' ", '%27', '＇']
const continuations = [
  'or 1=1 --',
  "or '1'='1",
  'union select id, password_hash, 1, 1, 1, 1 from users --',
  'union select name, sql, 1, 1, 1, 1 from sqlite_master --',
  'union select usename, passwd, null, null, null, null from pg_shadow --',
  '; drop table users; --',
  '; update users set enabled = 1 --',
  "; insert into settings values ('a', 'b') --",
  '; select pg_sleep(9) --',
  ') and (select count(*) from tokens) > 0 --',
  '|| (select secret from access_keys limit 1) ||',
  'is not null --',
  'and randomblob(500000000) is null --',
  'collate nocase or 1=1 --',
  'limit 99 offset 0 --',
  '/* */ or true --',
  'returning * --',
]
const single = [
  '% _ %% * ? $1 :1 @p ?1 {} [] () ; , . -- # /* */ \\ \\\\ \\x00 %00 %2527 &#39; \r\nX-Injected:1',
  '${7*7} {{7*7}} #{7*7} %s%n $(id) `id` |id &&id ../../etc/passwd ..\\windows {"$gt":""} x\'00\'',
  "null undefined true false NaN Infinity 0 -1 1.5 1e309 0x10 9223372036854775808 E'\\047' \uFFFF",
  'constructor __proto__ toString hasOwnProperty $$ $tag$ \u202Egnp ʼ ˈ \u{10FFFF} \uFEFF \uFFFD',
  '["name",false,"",""] <script>alert(1)</script> *)(uid=*))(|(uid=* \n \t \u0001 \u007F Z\u0301\u0301',
].flatMap((line) => line.split(' '))
const long = [
  '💥'.repeat(60),
  'ﬃ'.repeat(60),
  'é'.repeat(256),
  'x'.repeat(64),
  'x'.repeat(65),
  'x'.repeat(255),
  'x'.repeat(1_025),
]

/** Texts that have an effect if a value becomes part of a statement. */
export const injectionTexts: readonly string[] = [
  ...new Set([
    ...openings.flatMap((opening) => continuations.map((rest) => opening + rest)),
    ...single,
    ...long,
  ]),
]
