import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { SourceKind } from '../../server/src/domain/sources/source.ts'
import { repository } from '../../server/src/testing/spawn-muster.ts'

const page = readFileSync(join(repository, 'docs/adding-a-source.md'), 'utf8')

/** What the tests on the page import. */
const importsOfTests = `
import type { SourceKind } from '${repository}/server/src/domain/sources/source.ts'
import { after, before, describe } from 'node:test'
import { startExample, type ExampleSimulator } from '${repository}/testing/docs/example-cloud.ts'
import { describeConformance } from '${repository}/server/src/testing/inventory-world/source-conformance.ts'
`

/** Writes the code of `docs/adding-a-source.md` into a folder, which the caller removes, and imports it. */
export async function loadExample() {
  const folder = mkdtempSync(join(tmpdir(), 'muster-example-source-'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  for (const [, file = '', text = ''] of page.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)) {
    assert.equal(dirname(file), 'server/src/sources/example')
    const code = text
      .replaceAll("'../../", `'${repository}/server/src/`)
      .replaceAll("'../shared/", `'${repository}/server/src/sources/shared/`)
    writeFileSync(join(folder, basename(file)), code)
  }
  const [, tests = ''] = /^```ts\n(describe\([\s\S]*?)^```$/m.exec(page) ?? []
  const suite = `export function describeExample(exampleKind: SourceKind): void {\n${tests}}\n`
  writeFileSync(join(folder, 'tests.ts'), `${importsOfTests}${suite}`)
  const source = (await import(join(folder, 'example-kind.ts'))) as { exampleKind: SourceKind }
  const { describeExample } = (await import(join(folder, 'tests.ts'))) as {
    describeExample: (kind: SourceKind) => void
  }
  return { folder, kind: source.exampleKind, describeExample }
}
