import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { buildConsole } from './build-console.ts'

/** A repository with a console whose build notes that it ran. */
function createRepository(t: TestContext, build?: string) {
  const repository = mkdtempSync(join(tmpdir(), 'muster-build-'))
  t.after(() => rmSync(repository, { recursive: true }))
  const folder = join(repository, 'console/dist')
  mkdirSync(join(repository, 'console/src'), { recursive: true })
  writeFileSync(join(repository, 'console/src/main.ts'), 'one')
  writeFileSync(
    join(repository, 'console/build.ts'),
    build ??
      `import { appendFileSync, mkdirSync } from 'node:fs'
mkdirSync('console/dist', { recursive: true })
appendFileSync('console/dist/index.html', 'built ')
`,
  )
  let told = ''
  const output = { write: (text: string) => (told += text) }
  return {
    repository,
    told: () => told,
    build: () => buildConsole({ repository, folder }, output),
    built: () => readFileSync(join(folder, 'index.html'), 'utf8'),
    folder,
  }
}

describe('building the console at start', () => {
  test('runs if the console is missing or its sources have changed', async (t) => {
    const { repository, build, built, told } = createRepository(t)
    await build()
    assert.equal(built(), 'built ')
    assert.match(told(), /Building the console.*\n.*built \(\d/)
    await build()
    assert.equal(built(), 'built ')
    writeFileSync(join(repository, 'console/src/main.ts'), 'another')
    await build()
    assert.equal(built(), 'built built ')
    mkdirSync(join(repository, 'sdk/src'), { recursive: true })
    writeFileSync(join(repository, 'sdk/src/client.ts'), 'new')
    await build()
    assert.equal(built(), 'built built built ')
  })

  test('leaves a stamp that other users can read', async (t) => {
    const { build, folder } = createRepository(t)
    const umask = process.umask(0o077)
    t.after(() => process.umask(umask))
    await build()
    assert.equal(statSync(join(folder, '.built')).mode & 0o777, 0o644)
  })

  test('runs once for processes that start together', async (t) => {
    const { build, built } = createRepository(t)
    await Promise.all([build(), build(), build()])
    assert.equal(built(), 'built ')
  })

  test('reports a failed build and retries at the next start', async (t) => {
    const { build, told, folder } = createRepository(t, "throw new Error('no vite here')")
    await build()
    assert.match(told(), /could not be built; everything else works\.\n[^]*no vite here/)
    assert.ok(!existsSync(join(folder, '.built')))
    await build()
    assert.equal(told().match(/Building/g)?.length, 2)
  })

  test('does nothing without console sources', async (t) => {
    const { repository, build, told } = createRepository(t)
    rmSync(join(repository, 'console'), { recursive: true })
    await build()
    assert.equal(told(), '')
  })
})
