import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { parse } from 'yaml'
import {
  bundleVariable,
  sourceEntry,
  spawnMuster,
  suiteLifetime,
  temporaryFolder,
  type Muster,
} from '../../server/src/testing/spawn-muster.ts'
import { hostileNames } from './testing/hostile-names.ts'

const entry = process.env[bundleVariable] ?? sourceEntry

const unsafe = /[\p{Cc}\p{Cf}]/u
const lines = /[\r\n]/g

describe('the command line against a server', () => {
  const lifetime = suiteLifetime()
  const folder = temporaryFolder(lifetime)
  const home = join(folder, 'home')
  const commandOf = (...args: readonly string[]) => [entry, ...args]
  let muster: Muster
  let variables: Record<string, string>

  interface Options {
    readonly environment?: Readonly<Record<string, string | undefined>>
    readonly stdin?: string
  }

  function start(args: readonly string[], { environment = {}, stdin = '' }: Options = {}) {
    const given = { ...variables, ...environment }
    const set = Object.entries(given).filter((entry): entry is [string, string] => !!entry[1])
    const child = spawn(process.execPath, commandOf(...args), {
      env: { PATH: process.env['PATH'], HOME: home, ...Object.fromEntries(set) },
      stdio: 'pipe',
    })
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const done = once(child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as string | null,
      stdout,
      stderr,
    }))
    return { child, done }
  }
  const run = async (args: readonly string[], options?: Options) => await start(args, options).done

  async function succeed(args: readonly string[], options?: Options): Promise<string> {
    const { code, stdout, stderr } = await run(args, options)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
    return stdout
  }

  before(async () => {
    muster = await spawnMuster(lifetime, { flags: [`--data-dir=${join(folder, 'data')}`] })
    variables = {
      OS_AUTH_URL: `${muster.authUrl}/v3`,
      OS_USERNAME: 'sysadmin',
      OS_PASSWORD: muster.password ?? '',
      OS_PROJECT_NAME: 'system',
    }
    await succeed([
      'account',
      'attach',
      'lab',
      '--provider=Simulator',
      `--project-id=${await succeed(['project', 'show', 'system', '-f', 'value', '-c', 'id'])}`.trim(),
      '--access=manage',
      '--options={"servers": 60, "seed": 7, "action_delay": 100}',
    ])
    for (;;) {
      if ((await succeed(['server', 'list', '-q', '--all'])).split('\n').length >= 50) break
    }
  })

  test('shows the same servers in every format, and only so many as asked for', async () => {
    const all = (await succeed(['server', 'list', '--all', '-q'])).trimEnd().split('\n')
    const flags = ['--all', '-c', 'id', '-c', 'name', '--sort-column', 'name:asc']
    const json = JSON.parse(await succeed(['server', 'list', '-f', 'json', ...flags])) as {
      id: string
      name: string
    }[]
    assert.deepEqual(json.map(({ id }) => id).toSorted(), all.toSorted())
    assert.deepEqual(parse(await succeed(['server-list', '-f', 'yaml', ...flags])), json)
    const lines = (await succeed(['server', 'list', '-f', 'ndjson', ...flags]))
      .trimEnd()
      .split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      json,
    )
    const values = json.map(({ id, name }) => `${id} ${name}\n`).join('')
    assert.equal(await succeed(['server', 'list', '-f', 'value', ...flags]), values)
    assert.equal((await succeed(['server', 'list', '--limit=7', '-q'])).split('\n').length, 8)
    const { stdout, stderr } = await run(['server', 'list', '-q'])
    assert.equal(stdout.trimEnd().split('\n').length, 20)
    assert.match(stderr, /20 of \d+ servers\. Add --all/)
  })

  test('takes a query as one argument, as several, and after --', async () => {
    const find = async (...args: string[]) =>
      (await succeed(['server', 'list', '--all', '-q', '--sort-column', 'id', ...args])).trim()
    const expected = await find('vcpu>=4 -status:running')
    assert.notEqual(expected, '')
    assert.equal(await find('vcpu:4.. -status:running'), expected)
    assert.equal(await find('--', 'vcpu:4..', '-status:running'), expected)
    assert.equal(await find('vcpu:4..', '--', '-status:running'), expected)
  })

  test('shows one server by id, by name and by the beginning of its id', async () => {
    const [server] = JSON.parse(await succeed(['server', 'list', '--limit=1', '--json'])) as [
      { id: string; name: string },
    ]
    for (const given of [server.id, server.name, server.id.slice(0, 13)]) {
      const shown = JSON.parse(await succeed(['server', 'show', given, '-f', 'json'])) as object
      assert.equal((shown as { id: string }).id, server.id, given)
    }
    const shell = await succeed(['server', 'show', server.id, '-f', 'shell', '-c', 'name'])
    assert.equal(shell, `name='${server.name}'\n`)
  })

  test('acts on a server and waits, on several after a preview, and says what is refused', async () => {
    const names = (
      await succeed(['server', 'list', 'status:running', '-c', 'id', '-f', 'value', '--limit=3'])
    )
      .trimEnd()
      .split('\n')
    const [first = '', ...others] = names
    const stopped = await succeed(['server', 'stop', first, '--wait', '-f', 'json'])
    assert.equal((JSON.parse(stopped) as { status: string }).status, 'succeeded')
    assert.match(await succeed(['server', 'show', first, '-c', 'status', '-f', 'value']), /ready/)
    const preview = await succeed(['server', 'stop', ...others, '--dry-run', '-f', 'json'])
    assert.equal((JSON.parse(preview) as object[]).length, 2)
    const unconfirmed = await run(['server', 'stop', ...others])
    assert.deepEqual([unconfirmed.code, unconfirmed.stdout], [2, ''])
    assert.match(unconfirmed.stderr, /add --yes/)
    const batch = await succeed(['server', 'stop', ...others, '--yes', '--wait', '-f', 'json'])
    assert.equal((JSON.parse(batch) as { succeeded: number }).succeeded, 2)
    const deleted = await run(['server', 'delete', first])
    assert.equal(deleted.code, 2)
    assert.match(deleted.stderr, /Without a terminal/)
  })

  test('creates, updates and deletes what is administered, with names from stdin', async () => {
    for (const [index, name] of Object.entries(hostileNames).entries()) {
      const [what, text] = name
      // Arguments of a process are UTF-8.
      if (!text.isWellFormed()) continue
      const created = await run([
        'group',
        'create',
        `g${index}`,
        '--description',
        text,
        '-f',
        'json',
      ])
      if (created.code !== 0) continue
      const { description } = JSON.parse(created.stdout) as { description: string }
      assert.equal(description, text, what)
      const format = ['table', 'csv', 'yaml', 'shell', 'value'][index % 5] ?? ''
      const shown = await succeed(['group', 'show', `g${index}`, '-f', format])
      assert.doesNotMatch(shown.replaceAll(lines, ''), unsafe, what)
    }
    const ids = await succeed(['group', 'list', '-q'])
    const gone = await run(['group', 'delete', '-', '--yes'], { stdin: `${ids}nothing\n` })
    assert.equal(gone.code, 8)
    assert.match(gone.stderr, /nothing: /)
    assert.equal(await succeed(['group', 'list', '-q']), '')
    assert.equal(await succeed(['group', 'list', '-f', 'json']), '[]\n')
  })

  describe('exits', () => {
    const cases: readonly [code: number, args: string, environment?: Record<string, string>][] = [
      [0, 'server list --name nothing'],
      [1, 'group create --name ok --domain-id default --description x --body {"id":"x"}'],
      [2, 'server list --colour'],
      [2, 'server list -c nothing'],
      [2, 'server list -f shell'],
      [2, 'server'],
      [2, 'servr list'],
      [2, 'api GET /nothing'],
      [3, 'server show nothing'],
      [4, 'server list', { OS_PASSWORD: 'wrong', OS_USERNAME: 'sysadmin' }],
      [4, 'server list', { OS_AUTH_URL: '' }],
      [6, 'project create system'],
      [7, 'server list', { OS_AUTH_URL: 'http://127.0.0.1:1/v3' }],
    ]
    for (const [code, args, environment = {}] of cases) {
      test(`with ${code} for "${args}" ${JSON.stringify(environment)}`, async () => {
        const words = args.split(' ')
        const plain = await run(words, { environment })
        assert.equal(plain.code, code, plain.stderr)
        if (code === 0) return
        assert.equal(plain.stdout, '')
        assert.notEqual(plain.stderr, '')
        if (words.includes('-f') || words.length < 2) return
        const json = await run([...words, '-f', 'json'], { environment })
        assert.equal(json.code, code)
        const { error } = JSON.parse(json.stderr) as { error: { exit_code: number; class: string } }
        assert.equal(error.exit_code, code)
      })
    }

    test('with 5 without the permission', async () => {
      const secret = 'Nachtigall-4711-Zebra'
      await succeed(['user', 'create', 'reader', '--password-stdin'], { stdin: `${secret}\n` })
      const environment = { OS_USERNAME: 'reader', OS_PASSWORD: secret, OS_PROJECT_NAME: '' }
      const { code } = await run(['account', 'list'], { environment })
      assert.equal(code, 5)
    })

    test('with 0 if the reader of a pipe ends early', async () => {
      const { child, done } = start(['server', 'list', '--all', '-f', 'ndjson'])
      child.stdout.destroy()
      const { code, stderr } = await done
      assert.deepEqual([code, stderr], [0, ''])
    })

    test('with 130 after Ctrl-C', async () => {
      const silent = createServer(() => {}).listen(0, '127.0.0.1')
      lifetime.after(() => silent.close())
      await once(silent, 'listening')
      const { port } = silent.address() as AddressInfo
      const asked = once(silent, 'request')
      const { child, done } = start(['server', 'list'], {
        environment: { OS_AUTH_URL: `http://127.0.0.1:${port}` },
      })
      await asked
      child.kill('SIGINT')
      assert.equal((await done).code, 130)
      silent.closeAllConnections()
    })
  })

  describe('logs in', () => {
    const none = { OS_AUTH_URL: '', OS_USERNAME: '', OS_PASSWORD: '', OS_PROJECT_NAME: '' }

    test('to a profile, with the password from stdin, until it logs out', async () => {
      const environment = none
      const login = await run(
        ['login', '--url', muster.authUrl, '--os-username=sysadmin', '--password-stdin'],
        { environment, stdin: muster.password ?? '' },
      )
      assert.deepEqual([login.code, login.stdout], [0, ''])
      const file = join(home, '.config/muster/profiles.json')
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert.ok(!readFileSync(file, 'utf8').includes(muster.password ?? '?'))
      assert.match(await succeed(['whoami'], { environment }), /sysadmin \(domain Default\)/)
      const token = (await succeed(['auth', 'token'], { environment })).trim()
      await succeed(['logout'], { environment })
      assert.equal((await run(['server', 'list'], { environment })).code, 4)
      // It is revoked too.
      const revoked = await run(['server', 'list'], {
        environment: { ...none, OS_AUTH_URL: muster.authUrl, OS_TOKEN: token },
      })
      assert.equal(revoked.code, 4)
    })

    test('once, and again when the token is gone or the password changes', async () => {
      const secret = 'Nachtigall-4712-Zebra'
      const next = 'Nachtigall-4713-Zebra'
      await succeed(['user', 'create', 'cached', '--password-stdin'], { stdin: secret })
      const environment = { OS_USERNAME: 'cached', OS_PASSWORD: secret, OS_PROJECT_NAME: '' }
      const logins = async (password: string) => {
        const { stderr, code } = await run(['auth', 'status', '--debug'], {
          environment: { ...environment, OS_PASSWORD: password },
        })
        assert.ok(!stderr.includes(password))
        return { code, count: stderr.split('/v3/auth/tokens').length - 1 - 1 }
      }
      assert.deepEqual(await logins(secret), { code: 0, count: 1 })
      assert.deepEqual(await logins(secret), { code: 0, count: 0 })
      // A new password ends the tokens of the user.
      await succeed(['user', 'update', 'cached', '--password-stdin'], { stdin: next })
      assert.equal((await logins(secret)).code, 4)
      assert.deepEqual(await logins(next), { code: 0, count: 1 })
      assert.deepEqual(await logins(next), { code: 0, count: 0 })
    })

    test('with an access key', async () => {
      const created = JSON.parse(
        await succeed(['credential-create-aksk', '--type=aksk', '--name=robot', '-f', 'json']),
      ) as { access_key: string; secret: string }
      const environment = {
        OS_USERNAME: '',
        OS_PASSWORD: '',
        OS_ACCESS_KEY: created.access_key,
        OS_SECRET_KEY: created.secret,
      }
      assert.match(await succeed(['whoami'], { environment }), /aksk/)
    })

    test('with clouds.yaml and secure.yaml', async () => {
      const clouds = join(folder, 'clouds.yaml')
      writeFileSync(
        clouds,
        `clouds: {lab: {auth: {auth_url: '${muster.authUrl}', username: sysadmin, project_name: system}}}`,
      )
      writeFileSync(
        join(folder, 'secure.yaml'),
        `clouds: {lab: {auth: {password: '${muster.password}'}}}`,
      )
      const environment = { ...none, OS_CLIENT_CONFIG_FILE: clouds }
      assert.match(await succeed(['whoami', '--os-cloud=lab'], { environment }), /cloud lab/)
    })

    test('and never sends a token to another address', async () => {
      const seen: string[] = []
      const other = createServer((request, response) => {
        seen.push(JSON.stringify(request.headers))
        response.writeHead(302, { location: `${muster.authUrl}/servers` }).end()
      }).listen(0, '127.0.0.1')
      lifetime.after(() => other.close())
      await once(other, 'listening')
      const { port } = other.address() as AddressInfo
      await succeed(
        ['login', '--url', muster.authUrl, '--os-username=sysadmin', '--password-stdin'],
        {
          environment: none,
          stdin: muster.password ?? '',
        },
      )
      const url = `http://127.0.0.1:${port}`
      await run(['server', 'list', '--os-auth-url', url], { environment: none })
      const { code } = await run(['server', 'list', '--os-auth-url', url], {
        environment: { OS_AUTH_URL: '' },
      })
      assert.notEqual(code, 0)
      assert.ok(seen.length > 0)
      for (const headers of seen) assert.doesNotMatch(headers, /x-auth-token/)
    })
  })

  test('sends any request, with query, body and pages', async () => {
    const { servers } = JSON.parse(
      await succeed(['api', '/servers', '-Q', 'limit=2', '-Q', 'scope=max']),
    ) as { servers: object[] }
    assert.equal(servers.length, 2)
    const pages = await succeed(['api', '/servers?scope=max&limit=30', '--all'])
    assert.ok(pages.trimEnd().split('\n').length >= 2)
    const body = '{"project": {"name": "by-api"}}'
    await succeed(['api', 'POST', '/v3/projects', '--body', '@-'], { stdin: body })
    const { code } = await run(['api', 'DELETE', '/v3/projects/by-api'])
    assert.equal(code, 0)
    assert.match(await succeed(['api', '/v3']), /"version"/)
  })
})
