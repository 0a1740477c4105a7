import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areaNames, listAreas } from './areas.ts'
import { findMutants } from './find-mutants.ts'

/** The lines that a mutation of this line gives. */
const mutate = (source: string) =>
  findMutants('some.ts', source).map(
    ({ start, end, text }) => source.slice(0, start) + text + source.slice(end),
  )

const cases: Readonly<Record<string, readonly string[]>> = {
  'if (a) b = 1': ['if (true) b = 1', 'if (false) b = 1', 'if (a) ;', 'if (a) b = 2'],
  'const b = a ? c : d': ['const b = true ? c : d', 'const b = false ? c : d'],
  'const b = (a as X) < c': ['const b = (a as X) <= c'],
  'const b = a === c && d': ['const b = a === c || d', 'const b = a !== c && d'],
  'const b = a ?? c': ['const b = a'],
  'const b = !a': ['const b = a'],
  'const b = a + c': ['const b = a - c'],
  "const b = a + 'text'": [],
  'await a.b()': [';'],
  "log.warn('text')": [],
  'const b = a.some(c)': ['const b = a.every(c)'],
  'const b = a.filter(c)': ['const b = a'],
  "const b = ['x', 'y']": ["const b = ['y']", "const b = ['x']"],
  'throw new E()': [';'],
  'type A = true | 1': [],
}
for (const [source, expected] of Object.entries(cases)) {
  test(`mutants of ${source}`, () => assert.deepEqual(mutate(source), expected))
}

test('each area has files and tests', () => {
  for (const { area, files, tests } of listAreas()) {
    assert.ok(files.length > 0 && tests.length > 0, area)
  }
  assert.equal(listAreas().length, areaNames.length)
})
