import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { delimiter, join, relative } from 'node:path'
import { before, describe, test } from 'node:test'
import pg from 'pg'
import { createArchive } from '../../packaging/archive.ts'
import { ask, passwordIdentity, requestToken, secretOf } from '../../server/src/testing/client.ts'
import { isNightly } from '../../server/src/testing/lanes.ts'
import {
  repository,
  spawnMuster,
  suiteLifetime,
  temporaryFolder,
} from '../../server/src/testing/spawn-muster.ts'
import { readAnswers } from '../upgrade/answers.ts'
import { differencesBetween } from '../upgrade/differences.ts'
import { restore } from '../upgrade/restore.ts'
import { readState, stateFolder } from '../upgrade/state.ts'
import { buildTwice, describeTree, run } from './build-twice.ts'

/** Without the Node of the repository, as on another machine. */
const environment = {
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter),
}
/** With what the administrator of this machine has set for downloads. */
const npmEnvironment = { ...(process.env as Record<string, string>), ...environment }
const nobody = 65_534
const isRoot = process.getuid?.() === 0
/** A user who owns none of the files. */
const asNobody = isRoot
  ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
  : []

async function prolongTokens(databaseUrl: string, milliseconds: number): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query('update tokens set expires_at = expires_at + $1', [milliseconds])
  await client.end()
}

describe('the package', () => {
  const lifetime = suiteLifetime()
  const folder = temporaryFolder(lifetime)
  const build = join(folder, 'one')
  const installed = join(folder, 'prefix/bin/muster')
  chmodSync(folder, 0o755)
  before(() => buildTwice(lifetime, folder))

  test('is the same from another folder under another umask, and readable by everybody', () => {
    const tree = describeTree(build)
    assert.deepEqual(describeTree(join(folder, 'two')), tree)
    assert.ok(Object.keys(tree).length > 100)
    for (const [name, description] of Object.entries(tree)) {
      assert.match(description, name === 'muster.mjs' ? /^755 / : /^(?:644 \w|755 $)/, name)
    }
  })

  test('has a bill of materials with checksums, which lists each package once', () => {
    const { components } = JSON.parse(readFileSync(join(build, 'sbom.cdx.json'), 'utf8')) as {
      components: { purl: string; hashes: { content: string }[] }[]
    }
    const urls = components.map(({ purl }) => purl)
    assert.equal(new Set(urls).size, urls.length)
    for (const name of ['fastify', 'react', '%40node-rs/argon2', '%40fontsource-variable/inter']) {
      assert.ok(
        urls.some((url) => url.startsWith(`pkg:npm/${name}@`)),
        name,
      )
    }
    for (const { purl, hashes } of components)
      assert.match(hashes[0]?.content ?? '', /^[\da-f]{128}$/, purl)
  })

  test('holds the guide and the files for operators', () => {
    // Not what an operator has put into the working tree, such as secrets.
    const { stdout } = spawnSync('git', ['ls-files', 'deploy', 'docs'], {
      cwd: repository,
      encoding: 'utf8',
    })
    const packed = ['deploy', 'docs'].flatMap((name) =>
      globSync(`${name}/**`, { cwd: build, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(build, join(entry.parentPath, entry.name))),
    )
    assert.deepEqual(packed.toSorted(), stdout.split('\n').filter(Boolean).toSorted())
  })

  test('runs from an archive with Node where there is neither Node nor npm', async () => {
    const archive = createArchive(repository, build, process.arch === 'arm64' ? 'arm64' : 'x64', 1)
    const place = join(folder, 'unpacked')
    const tools = join(folder, 'tools')
    for (const path of [place, tools]) mkdirSync(path)
    await run(lifetime, ['tar', '-C', place, '-xzf', archive])
    // No other program can be found, so nothing can be downloaded.
    for (const tool of ['dirname', 'readlink']) symlinkSync(`/usr/bin/${tool}`, join(tools, tool))
    const linked = join(tools, 'muster')
    symlinkSync(join(place, readdirSync(place)[0] ?? '', 'bin/muster'), linked)
    const muster = await spawnMuster(lifetime, {
      command: [linked, 'serve'],
      flags: [`--data-dir=${join(place, 'data')}`],
      environment: { PATH: tools, MUSTER_CONSOLE_BUILD: 'true' },
    })
    const identity = passwordIdentity('sysadmin', muster.password ?? '')
    secretOf(await requestToken(muster.authUrl, { identity }))
    assert.equal((await ask(muster.baseUrl, '/console/')).status, 200)
    await muster.end('SIGTERM')
  })

  test('is installed from its archive, globally and in an empty project', async () => {
    const packed = await run(lifetime, [
      'npm',
      'pack',
      build,
      '--silent',
      `--pack-destination=${folder}`,
    ])
    const archive = join(folder, packed.trim())
    const install = (...flags: string[]) =>
      run(
        lifetime,
        ['npm', 'install', '--no-fund', '--no-audit', '--prefer-offline', ...flags, archive],
        // Other tests of this process restrict the mask, and another user could not read the files.
        { environment: npmEnvironment, umask: 0o022 },
      )
    const project = join(folder, 'project')
    mkdirSync(project)
    await install('--global', `--prefix=${join(folder, 'prefix')}`)
    await install(`--prefix=${project}`)
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      version: string
    }
    const inProject = ['sh', '-c', `cd '${project}' && npx --no -- muster --version`] as const
    assert.equal(await run(lifetime, [installed, '--version'], { environment }), `${version}\n`)
    assert.equal(await run(lifetime, inProject, { environment }), `${version}\n`)
  })

  test('serves the console, the reference and the API to another user', async (t) => {
    if (!isRoot) t.diagnostic('not root: started as the user who installed it')
    const data = join(folder, 'data')
    mkdirSync(data, { mode: 0o700 })
    if (isRoot) chownSync(data, nobody, nobody)
    const start = () =>
      spawnMuster(lifetime, {
        command: ['env', ...asNobody, installed, 'serve'],
        flags: [`--data-dir=${data}`],
        environment,
      })
    const muster = await start()
    const identity = passwordIdentity('sysadmin', muster.password ?? '')
    secretOf(await requestToken(muster.authUrl, { identity }))
    for (const path of ['/console/', '/docs', '/openapi.json']) {
      assert.equal((await ask(muster.baseUrl, path)).status, 200, path)
    }
    const check = ['env', ...asNobody, installed, 'admin', 'check', `--data-dir=${data}`] as const
    assert.match(await run(lifetime, check, { environment }), /No problems found/)
    const { code } = await muster.end('SIGTERM')
    assert.equal(code, 0)
    await assert.rejects(fetch(muster.baseUrl))
    // With an old Node there is a second process, which must not go on alone: its output would stay open.
    await (await start()).end('SIGKILL')
    await (await start()).end('SIGTERM')
  })

  const [oldest = '', ...newer] = readdirSync(stateFolder).sort()
  // The oldest one runs all migrations; upgrade.slow.test.ts has all without the package.
  for (const name of [oldest, ...(isNightly ? newer : [])]) {
    for (const engine of name === oldest
      ? (['sqlite', 'postgres'] as const)
      : ['sqlite' as const]) {
      test(`upgrades a database of ${name} on ${engine}, and answers as before`, async () => {
        const { data, state } = readState(name, engine)
        const place = await restore(engine, data, state.secretKey)
        lifetime.after(() => rmSync(place.folder, { recursive: true, force: true }))
        // At the time of the recorded answers, so that the tokens are valid. On PostgreSQL the
        // database's clock decides, so they are prolonged.
        const age = Date.now() - state.takenAt
        const past = `const {now} = Date; Date.now = () => now() - ${age}`
        if (place.databaseUrl !== undefined) await prolongTokens(place.databaseUrl, age)
        const muster = await spawnMuster(lifetime, {
          command: [
            process.execPath,
            '--import',
            `data:text/javascript,${past}`,
            join(build, 'muster.mjs'),
            'serve',
          ],
          flags: [
            `--data-dir=${join(place.folder, 'data')}`,
            `--secret-key-file=${join(place.folder, 'secret.key')}`,
            ...(place.databaseUrl === undefined ? [] : [`--database-url=${place.databaseUrl}`]),
          ],
        })
        const answers = await readAnswers(muster.baseUrl, state.tokens)
        assert.deepEqual(differencesBetween(state.answers, answers), [])
        await muster.end('SIGINT')
      })
    }
  }
})
