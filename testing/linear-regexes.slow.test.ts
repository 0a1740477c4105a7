import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'

const literal =
  /(?<=(?:[(,=:[!&|?{};>\n]|return)\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+)\/([dgimsuvy]*)/g

const isProduct = (file: string) => !/\.(?:test|backend|browser)\.ts$|\/testing\//.test(file)

/** All regular expressions of the code that runs in a server, without duplicates. */
function findRegexes(): Map<string, RegExp> {
  const found = new Map<string, RegExp>()
  const files = globSync('{server,contract,gateway,sdk,simulator}/src/**/*.ts').filter(isProduct)
  for (const file of files) {
    for (const [text, source = '', flags = ''] of readFileSync(file, 'utf8').matchAll(literal)) {
      try {
        found.set(text, new RegExp(source, flags))
      } catch {
        // A path or a part of a template, which only looks like an expression.
      }
    }
  }
  return found
}

const size = 100_000
/** Far above the milliseconds of a linear expression, and far below the time of a quadratic one. */
const patience = 5_000
const units =
  ' |a|0|/|.|-|"|\\|,|:|=|%|\n|\t|_|é|{|[|(|*|a |a.|0.|a,|<a|1:|a=|%41|ST-|mt1_|"a",'.split('|')

const sandbox: { regex?: RegExp; input?: string } = {}
const context = createContext(sandbox)
const texts = new Map(units.map((unit) => [unit, `${unit.repeat(size / unit.length)}\0`]))

/** Whether an expression fails to read a text in time. The last character prevents a match at the end. */
function isSlow(regex: RegExp, unit: string, timeout = patience): boolean {
  Object.assign(sandbox, { regex, input: texts.get(unit) ?? '' })
  try {
    runInContext('input.replace(regex, "")', context, { timeout })
    return false
  } catch {
    return true
  }
}

test('SEC-75: the check finds a quadratic and an exponential expression', () => {
  assert.ok(isSlow(/\s+$/, ' ', 500))
  assert.ok(isSlow(/^(?:a+)+$/, 'a', 500))
  assert.ok(!isSlow(/^a+$/, 'a'))
})

test('SEC-75: every regular expression reads 100 kB of hostile text in linear time', (t) => {
  const regexes = findRegexes()
  assert.ok(regexes.size > 200)
  const slow = [...regexes].flatMap(([text, regex]) => {
    const unit = units.find((each) => isSlow(regex, each))
    return unit === undefined ? [] : [`${text} with ${JSON.stringify(unit)}`]
  })
  t.diagnostic(`${regexes.size} expressions, ${units.length} texts each`)
  assert.deepEqual(slow, [])
})
