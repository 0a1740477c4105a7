import assert from 'node:assert/strict'
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { eventually } from '../../server/src/testing/eventually.ts'
import {
  repository,
  spawnMuster,
  spawnProcess,
  suiteLifetime,
  temporaryFolder,
  type Muster,
} from '../../server/src/testing/spawn-muster.ts'
import { readPage } from '../docs/read-page.ts'
import { describeTree, run } from '../package/build-twice.ts'

/** Without the Node and the programs of the repository, as on another machine. */
const path = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter)
const environment = { ...(process.env as Record<string, string>), PATH: path }

const compiler = join(repository, 'node_modules/typescript/bin/tsc')
const nodeTypes = join(repository, 'node_modules/@types')

describe('the package of the SDK', () => {
  const lifetime = suiteLifetime()
  const folder = temporaryFolder(lifetime)
  const build = join(folder, 'one')
  const project = join(folder, 'project')
  const installed = join(project, 'node_modules/@muster/sdk')
  const script = readPage('sdk/README.md')
    .blocks.filter(({ language }) => language === 'ts')
    .map(({ text }) => text)
    .join('\n')
  let muster: Muster

  before(async () => {
    for (const name of ['one', 'two']) {
      await run(lifetime, [
        process.execPath,
        join(repository, 'sdk/build-sdk.ts'),
        join(folder, name),
      ])
    }
    const npm = (...command: string[]) =>
      run(lifetime, ['npm', ...command, '--silent', '--offline', '--no-fund', '--no-audit'], {
        environment,
      })
    const archive = (await npm('pack', build, `--pack-destination=${folder}`)).trim()
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}')
    await npm('install', `--prefix=${project}`, join(folder, archive))
    muster = await spawnMuster(lifetime, {
      flags: [`--data-dir=${join(folder, 'data')}`, '--demo', '--demo-servers=200'],
      environment: { MUSTER_ADMIN_PASSWORD: 'correct horse battery' },
    })
    await eventually('the demo is loaded', () =>
      muster.stderr().includes('Loading the demo: 100 %'),
    )
    for (const extension of ['ts', 'js']) {
      const text = script.replaceAll('http://127.0.0.1:8400', muster.baseUrl)
      // The examples have one type, which scripts cannot have.
      const isScript = extension === 'js'
      writeFileSync(
        join(project, `readme.${extension}`),
        isScript ? text.replaceAll(': unknown', '').replaceAll(' as const', '') : text,
      )
    }
  })

  test('is the same at each build', () => {
    assert.deepEqual(describeTree(join(folder, 'two')), describeTree(build))
  })

  test('has all files, no dependency, and nothing of the contract', () => {
    for (const name of ['README.md', 'LICENSE', 'index.js', 'index.d.ts']) {
      assert.ok(statSync(join(installed, name)).size > 500, name)
    }
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object
    assert.ok(!('dependencies' in manifest) && !('private' in manifest))
    assert.deepEqual(globSync('node_modules/{*,@*/*}/package.json', { cwd: project }), [
      'node_modules/@muster/sdk/package.json',
    ])
    const files = globSync('**/*.{js,d.ts}', { cwd: installed })
    assert.ok(files.length > 10)
    for (const name of files) {
      const text = readFileSync(join(installed, name), 'utf8')
      const imports = [...text.matchAll(/(?:\bfrom |\bimport\(|^import )["']([^"']+)["']/gm)]
      const foreign = imports.filter(([, target = '']) => !/^\.{1,2}\/[\w/-]+\.js$/.test(target))
      assert.deepEqual(
        foreign.map(([statement]) => statement),
        [],
        name,
      )
      assert.doesNotMatch(text, /@muster\/contract|typebox/i, name)
    }
    assert.deepEqual(
      files.filter((name) => name.endsWith('.js')),
      ['index.js'],
    )
  })

  test('is as small as its README says', () => {
    const [, kilobytes = ''] =
      /has (\d+) kB of compressed/.exec(readPage('sdk/README.md').text) ?? []
    const { length } = gzipSync(readFileSync(join(installed, 'index.js')), { level: 9 })
    assert.ok(length <= Number(kilobytes) * 1_000, `${length} bytes`)
  })

  for (const [where, options] of [
    ['a browser', { lib: ['es2022', 'dom'], types: [] }],
    ['Node', { lib: ['es2022'], typeRoots: [nodeTypes], types: ['node'], skipLibCheck: true }],
  ] as const) {
    test(`has types for ${where}, with which the README compiles`, async () => {
      const compilerOptions = {
        target: 'es2022',
        module: 'nodenext',
        strict: true,
        noEmit: true,
        exactOptionalPropertyTypes: true,
        ...options,
        // `setTimeout` and `console` are those of the page.
      }
      const wrong = `import { createClient } from '@muster/sdk'
const muster = createClient()
// @ts-expect-error: no such operation
await muster.listNothing()
// @ts-expect-error: no such filter
await muster.listServers({ query: { statu: 'running' } })
const { server } = await muster.getServer({ parameters: { id: 'one' } })
// @ts-expect-error: the field is a number
server.vcpu_count.trim()
`
      writeFileSync(join(project, 'wrong.ts'), wrong)
      const config = { compilerOptions, files: ['readme.ts', 'wrong.ts'] }
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
      const { stdout } = await spawnProcess(lifetime, {
        command: [process.execPath, compiler, '-p', project],
      }).exited
      assert.equal(stdout, '')
    })
  }

  for (const [name, node] of [
    ['this Node', process.execPath],
    ['the Node of the machine', 'node'],
  ] as const) {
    test(`runs the examples of the README with ${name}`, async (t) => {
      const inProject = async (...command: [string, ...string[]]) =>
        await run(lifetime, ['sh', '-c', 'cd "$0" && exec "$@"', project, ...command], {
          environment,
        })
      t.diagnostic(`Node ${await inProject(node, '-p', 'process.version')}`)
      // Each run has an account of its own: the servers of a deleted one may still be being removed.
      const file = `readme-${node === 'node' ? 'machine' : 'own'}.js`
      const text = readFileSync(join(project, 'readme.js'), 'utf8')
      writeFileSync(join(project, file), text.replaceAll('sdk-training', file))
      const printed = await inProject(node, file)
      for (const expected of [
        /5 of \d{3} servers/,
        /\d{3} names/,
        /^succeeded$/m,
        /^2$/m,
        /req-[\da-f-]{36}/,
      ]) {
        assert.match(printed, expected)
      }
    })
  }
})
