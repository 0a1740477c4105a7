import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gatewayOperations, operations } from '@muster/contract'
import { renderTypes } from '../../sdk/render-types.ts'
import {
  repository,
  spawnProcess,
  suiteLifetime,
  temporaryFolder,
} from '../../server/src/testing/spawn-muster.ts'

const ids = [...operations, ...gatewayOperations].map(({ id }) => id)

/**
 * Outputs are the same in both directions. The contract accepts what the package accepts. Of queries, whose
 * schemas are more exact than the types of the contract, the package has all names.
 */
const comparison = `import type { Api as Source, ErrorBody as SourceError } from '${repository}/sdk/src/contract.ts'
import type { Api, ErrorBody } from './generated.ts'
type Query<Input> = Input extends { readonly query?: infer Parameters }
  ? keyof NonNullable<Parameters>
  : never
declare const source: Source
declare const generated: Api
declare const sourceError: SourceError
declare const generatedError: ErrorBody
export const errors: [ErrorBody, SourceError] = [sourceError, generatedError]
export const ids: [keyof Source, keyof Api] = {} as [keyof Api, keyof Source]
${ids.map(compare).join('\n')}
`

function compare(id: string): string {
  return `export const ${id}: [
  Api['${id}']['output'],
  Source['${id}']['output'],
  Omit<Source['${id}']['input'], 'query'>,
  Query<Api['${id}']['input']>,
] = [
  source.${id}.output,
  generated.${id}.output,
  {} as Omit<Api['${id}']['input'], 'query'>,
  {} as Query<Source['${id}']['input']>,
]`
}

test('the types of the package are those of the contract', async () => {
  const lifetime = suiteLifetime()
  const folder = join(temporaryFolder(lifetime), 'types')
  mkdirSync(folder)
  const files = {
    'generated.ts': renderTypes(),
    'comparison.ts': comparison,
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify({
      extends: join(repository, 'tsconfig.json'),
      compilerOptions: { typeRoots: [join(repository, 'node_modules/@types')] },
      include: ['*.ts'],
    }),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const compiler = join(repository, 'node_modules/typescript/bin/tsc')
  const compilation = spawnProcess(lifetime, {
    command: [process.execPath, compiler, '-p', folder],
  })
  const { stdout } = await compilation.exited
  assert.deepEqual(stdout.split('\n').slice(0, 5), [''])
})
