/** Texts that a terminal could obey, that end a line, or that a spreadsheet or a shell could run. */
export const hostileNames = {
  'an escape sequence': '\u001B[31mred\u001B[0m',
  'a C1 control': 'a\u009B31mb',
  'the end of a string': 'a\u0090b\u009Cc',
  'a bell and a backspace': 'a\u0007b\bc',
  lines: 'one\ntwo\r\nthree',
  'line separators': 'one\u2028two\u2029three',
  'an override of the direction': 'abc\u202Egpj.exe',
  'an isolate of the direction': 'a\u2066b\u2069c',
  'no width': 'a\u200Bb\uFEFFc',
  'tag characters': 'a\u{E0041}b',
  'half a surrogate': 'a\uD800b',
  'a formula': '=HYPERLINK("http://x")',
  quotes: `a"b'c\`d$(e)\\f`,
  'commas and blanks': ' a, b ,',
  'wide characters': '北京 🖥 é',
  nothing: '',
} as const
