import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import type { SessionDto } from '@muster/contract'
import { serverCommand, tokenCommand } from './curl.ts'

/** Runs a command in a shell where `curl` prints its arguments. */
const run = (command: string) =>
  execFileSync(
    'bash',
    [
      '-c',
      `curl() { printf '%s\\n' "$@" >&3; case "$*" in *@-*) cat >&3; printf secret-token;; esac; }
exec 3>&1
${command}
printf '%s\\n' "token=$TOKEN" >&3
cat > /dev/null`,
    ],
    { encoding: 'utf8', input: 'correct horse\n', env: { ...process.env, TOKEN: 'a token' } },
  ).split('\n')

const session = (kind: 'project' | 'domain' | 'none', userId = 'u-1') =>
  ({ user: { id: userId }, scope: { kind, id: 's-1' } }) as SessionDto

describe('the equivalent curl command', () => {
  it('requests a token with the typed password, for the current scope', () => {
    const lines = run(tokenCommand('https://muster.example', session('project')))
    assert(lines.includes('https://muster.example/v3/auth/tokens'))
    const body = lines.find((line) => line.startsWith('{')) ?? ''
    assert.deepEqual(JSON.parse(body), {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { id: 'u-1', password: 'correct horse' } },
        },
        scope: { project: { id: 's-1' } },
      },
    })
    assert(lines.includes('token=secret-token'))
  })

  it('requests no scope if the session has none', () => {
    const body = run(tokenCommand('http://h', session('none'))).find((line) => line.startsWith('{'))
    assert.equal(JSON.parse(body ?? '').auth.scope, undefined)
  })

  it('shows the server with that token', () => {
    assert.deepEqual(run(serverCommand('https://muster.example', 'abc')).slice(0, 4), [
      '-sS',
      '-H',
      'X-Auth-Token: a token',
      'https://muster.example/servers/abc',
    ])
  })

  it('shows the server as it was at a moment', () => {
    const command = serverCommand('http://h', 'abc', '2026-05-04T10:00+02:00')
    assert.equal(run(command)[3], 'http://h/servers/abc?as_of=2026-05-04T10%3A00%2B02%3A00')
  })

  it('SEC-53: does not execute the content of an ID', () => {
    const evil = "'; echo pwned; $(echo pwned) `echo pwned`"
    const lines = [
      ...run(serverCommand('http://h', evil)),
      ...run(tokenCommand('http://h', session('domain', evil))),
    ]
    assert.deepEqual(
      lines.filter((line) => line === 'pwned'),
      [],
    )
    assert(lines.some((line) => line.includes('$(echo pwned) `echo pwned`')))
  })
})
