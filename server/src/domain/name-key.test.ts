import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { nameKey } from './name-key.ts'
import { runsInLane } from '../testing/lanes.ts'

/** The planes that hold every letter with a case and every compatibility form. */
function* eachCharacter(): Generator<string> {
  for (let code = 0; code < 0x2_00_00; code += 1) {
    const isSurrogate = code >= 0xd8_00 && code < 0xe0_00
    if (!isSurrogate) yield String.fromCodePoint(code)
  }
}

describe('the key of a name', () => {
  test('is one for all spellings of a name', () => {
    const spellings = ['alice', 'ALICE', ' Alice ', '\u3000alice\t', 'ａｌｉｃｅ', 'ＡLICE\u00A0']
    for (const spelling of spellings) assert.equal(nameKey(spelling), 'alice', spelling)
    assert.equal(nameKey('straße'), nameKey('STRASSE'))
    assert.equal(nameKey('ﬁle'), nameKey('FILE'))
    assert.equal(nameKey('é'), nameKey('e\u0301'))
    assert.equal(nameKey('ΟΔΟΣ'), nameKey('οδος'))
    assert.equal(nameKey('\u212Aelvin'), nameKey('kelvin'))
  })

  test('differs for different names', () => {
    const names = ['alice', 'alicé', 'al ice', 'alice1', 'аlice', '']
    assert.equal(new Set(names.map(nameKey)).size, names.length)
  })

  test('is the same for every character in upper case, lower case and normal width', () => {
    const split: string[] = []
    for (const character of eachCharacter()) {
      const name = `x${character}y`
      const key = nameKey(name)
      const variants = [name.toUpperCase(), name.toLowerCase(), name.normalize('NFKC'), key]
      if (variants.some((variant) => nameKey(variant) !== key)) split.push(character)
    }
    assert.deepEqual(split, [])
  })

  test('of any text is its own key, and surrounding blanks do not count', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
        const key = nameKey(text)
        assert.equal(nameKey(key), key)
        assert.equal(nameKey(`\u3000 ${text}\t\u00A0`), key)
      }),
      { numRuns: runsInLane(1_000) },
    )
  })
})
