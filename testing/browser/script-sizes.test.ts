import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { consoleFolder } from '../../server/src/composition/console-folder.ts'
import { readyConsole } from './ready-console.ts'

/** In bytes. */
const firstPageLimit = 170_000
const allLimit = 325_000

const assets = join(consoleFolder, 'assets')
const read = (path: string) => readFileSync(path, 'utf8')
const sizeOf = (path: string) => gzipSync(readFileSync(path), { level: 9 }).length
const namesIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = '']) => name)

/** A script and those that it needs before it runs. */
function withImports(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found
  found.add(name)
  const imported = /(?:\bfrom|\bimport)\s*["'`]\.\/([^"'`]+\.js)["'`]/g
  for (const next of namesIn(read(join(assets, name)), imported)) withImports(next, found)
  return found
}

describe('the scripts of the console, compressed', () => {
  before(async () => await readyConsole(process.stderr))

  it('are at most 170 kB for the overview', () => {
    const page = read(join(consoleFolder, 'index.html'))
    const names = readdirSync(assets)
    const overview = names.find((name) => /^overview-page-.*\.js$/.test(name))
    assert.ok(overview, 'the code of the overview is not a file of its own')
    const needed = new Set(
      [...namesIn(page, /src="\/console\/assets\/([^"]+\.js)"/g), overview].flatMap((name) => [
        ...withImports(name),
      ]),
    )
    assert.ok(needed.size > 3, [...needed].join())
    const sizes = [...needed].map((name) => [sizeOf(join(assets, name)), name] as const)
    const theme = sizeOf(join(consoleFolder, 'theme.js'))
    const sum = sizes.reduce((total, [size]) => total + size, theme)
    assert.ok(sum <= firstPageLimit, `${sum} bytes: ${sizes.join('; ')}`)
  })

  it('are at most 325 kB for all pages and languages', () => {
    const sizes = readdirSync(assets)
      .filter((name) => name.endsWith('.js'))
      .map((name) => sizeOf(join(assets, name)))
    const sum = sizes.reduce((total, size) => total + size, 0)
    assert.ok(sum <= allLimit, `${sum} bytes`)
  })
})
