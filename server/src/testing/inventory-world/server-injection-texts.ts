import { injectionTexts } from '../injection-texts.ts'

const combine = (starts: readonly string[], ends: readonly string[]) =>
  starts.flatMap((start) => ends.map((end) => start + end))

/** The search's own language, and the patterns of `like`. */
const searching = combine(
  ['"', '"a" ', 'a* ', 'NEAR(', 'text:', '{text starts}:', '^', '-', '(', "' "],
  ['a', 'a AND b', 'a OR 1', 'NOT a', 'a NEAR b', '*', 'text:*', '"', ')', '" OR "'],
)
const likes = combine(
  ['%', '_', '\\', '\\%', '[a-z]', '%%%', '%\\'],
  ['%', "'", '_%_', '\\', '%_%_%_%_%_%a', 'escape', ''],
)

/** Filters and lines that are cut off, nested, or end too early. */
const grammar = combine(
  ["name.contains('", 'name.in(', 'name.like(', 'status:', '-status:', 'tag:', 'ip:', 'vcpu>='],
  ["x'))", "x') or 1=1 --", '(((((', ',,,', "''''", '"', '9'.repeat(40), 'x'.repeat(300)],
)

/** Texts that look like a number, a timestamp or an address. */
const numbers = [
  '9223372036854775807 9223372036854775808 -9223372036854775809 2147483648 99999999999999999999',
  '1e400 0x7fffffff 1_000 ١٢٣ １２ +1 --1 1,5 1/0 NaN -0 00 .5 5.',
  '2026-13-45 0000-00-00 9999-12-31T23:59:60Z 2026-02-30 infinity -infinity epoch now() 1970-01-01',
  '10.0.0.0/33 ::/129 fe80::1%eth0 0x7f.1 1.2.3 999.1.1.1 ::ffff:1.2.3.4/95 /8 10.4.0.0/ 1::2::3',
].flatMap((line) => line.split(' '))

const structures = combine(
  ['{"$gt":"', '[[', '{"a":{"a":', '..%2f', '../', 'file:///', '${', '{{', '<%=', '(?:a+)+', '.*'],
  ['"}', ']]', 'x', 'etc/passwd', '7*7}', '$', '(((a+)+)+)$'],
)

const unicode = [
  '\0',
  'a\0b',
  '\u0001\u0002',
  '\u0002\u0002a',
  'ς',
  'İ',
  'ﬃ',
  '\u0301\u0301',
  '\u200B',
  '\u{1F468}\u200D\u{1F469}',
  '\uFFFE',
  '\u202Eabc',
  '\r\n',
  '\u2028',
  '\uFEFF',
  'Ω'.repeat(500),
  '𝒜'.repeat(255),
  'a'.repeat(4_096),
  '%'.repeat(200),
  `${'%a'.repeat(120)}b`,
  '('.repeat(1_000),
  '"'.repeat(255),
  ' '.repeat(255),
]

/** Attack texts for every part of a server query. */
export const serverInjectionTexts: readonly string[] = [
  ...new Set([
    ...injectionTexts,
    ...searching,
    ...likes,
    ...grammar,
    ...numbers,
    ...structures,
    ...unicode,
  ]),
]
