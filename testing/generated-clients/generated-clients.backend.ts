import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { gatewayOperations, operations } from '@muster/contract'
import { ask } from '../../server/src/testing/client.ts'
import {
  repository,
  spawnMuster,
  suiteLifetime,
  temporaryFolder,
  type Muster,
} from '../../server/src/testing/spawn-muster.ts'
import { adminPassword } from '../../server/src/testing/start-platform.ts'
import { installPythonGenerator, installTypeScriptGenerator } from './install.ts'

const run = promisify(execFile)

interface Outcome {
  readonly refused: string
  readonly user: string
  readonly statuses: readonly string[]
  readonly listed: readonly string[]
  readonly shown: string
  readonly missing: string
}

/** Not a file of the repository, because it imports what is generated. */
const typeScriptProgram = `
import createClient from 'openapi-fetch'
import type { components, paths } from './generated.ts'

const [baseUrl = '', password = ''] = process.argv.slice(2)
const logIn = (secret: string) =>
  createClient<paths>({ baseUrl }).POST('/v3/auth/tokens', {
    body: {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { name: 'sysadmin', domain: { id: 'default' }, password: secret } },
        },
        scope: { project: { name: 'system', domain: { id: 'default' } } },
      },
    },
  })
const refused = await logIn('wrong')
const issued = await logIn(password)
if (!refused.error || !issued.data) throw new Error('A login ended otherwise.')
const token = issued.response.headers.get('x-subject-token') ?? ''
const client = createClient<paths>({ baseUrl, headers: { 'X-Auth-Token': token } })
const { data: list, error } = await client.GET('/servers', {
  params: { query: { scope: 'system', status: ['running', 'ready'], limit: 200 } },
})
if (!list) throw new Error(error.details)
const names: (string | undefined)[] = list.servers.map(({ name }) => name)
const show = (id: string) => client.GET('/servers/{id}', { params: { path: { id } } })
const { data: shown } = await show(list.servers[0]?.id ?? '')
const server: components['schemas']['Server'] | undefined = shown?.server
const { error: missing } = await show('none')
console.log(JSON.stringify({
  refused: refused.error.class,
  user: issued.data.token.user.Name,
  statuses: [...new Set(list.servers.map(({ status }) => status))].sort(),
  listed: names,
  shown: server?.name,
  missing: missing?.class,
}))
`

describe('a client that is generated from /openapi.json', () => {
  const lifetime = suiteLifetime()
  const folder = temporaryFolder(lifetime)
  const document = join(folder, 'openapi.json')
  let muster: Muster
  before(async () => {
    muster = await spawnMuster(lifetime, {
      flags: [`--data-dir=${folder}/data`, '--demo', '--demo-servers=200'],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
    writeFileSync(document, (await ask(muster.authUrl, '/openapi.json')).text)
  })

  function assertUsed({ refused, user, statuses, listed, shown, missing }: Outcome): void {
    assert.equal(refused, 'UnauthorizedError')
    assert.equal(user, 'sysadmin')
    assert.deepEqual(statuses, ['ready', 'running'])
    assert.ok(listed.length > 50)
    assert.equal(shown, listed[0])
    assert.equal(missing, 'ResourceNotFoundError')
  }

  test('openapi-python-client generates every operation, without a warning', async () => {
    const python = installPythonGenerator()
    const config = join(folder, 'config.json')
    writeFileSync(config, '{"post_hooks": []}')
    const generate = ['-m', 'openapi_python_client', 'generate', '--fail-on-warning']
    const output = ['--meta=none', `--output-path=${join(folder, 'muster_client')}`]
    await run(python, [...generate, `--path=${document}`, `--config=${config}`, ...output])
    const program = join(import.meta.dirname, 'use_client.py')
    const { stdout } = await run(python, [program, muster.authUrl, adminPassword], {
      env: { PYTHONPATH: folder },
    })
    const outcome = JSON.parse(stdout) as Outcome & { operations: number; year: number }
    assertUsed(outcome)
    assert.ok(outcome.year > 2000)
    assert.equal(outcome.operations, operations.length + gatewayOperations.length)
  })

  test('openapi-typescript generates types that fit what Muster answers', async () => {
    const tools = installTypeScriptGenerator()
    symlinkSync(join(tools, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    writeFileSync(join(folder, 'use-client.ts'), typeScriptProgram)
    const generator = join(tools, 'node_modules/openapi-typescript/bin/cli.js')
    const generated = join(folder, 'generated.ts')
    const { stderr } = await run(process.execPath, [generator, document, '-o', generated])
    assert.doesNotMatch(stderr, /warn|error/i)
    const compiler = join(repository, 'node_modules/typescript/bin/tsc')
    const options = {
      noEmit: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      allowImportingTsExtensions: true,
      module: 'nodenext',
      target: 'es2024',
      typeRoots: [join(repository, 'node_modules/@types')],
      types: ['node'],
    }
    const config = { compilerOptions: options, files: ['use-client.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await run(process.execPath, [compiler], { cwd: folder }).catch(
      ({ stdout }: { stdout: string }) => assert.fail(stdout),
    )
    const { stdout } = await run(
      process.execPath,
      ['use-client.ts', muster.authUrl, adminPassword],
      { cwd: folder },
    )
    assertUsed(JSON.parse(stdout) as Outcome)
  })
})
