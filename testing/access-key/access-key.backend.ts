import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { CredentialDto, Token } from '@muster/contract'
import {
  ask,
  passwordIdentity,
  requestToken,
  secretOf,
  systemProject,
} from '../../server/src/testing/client.ts'
import {
  spawnMuster,
  suiteLifetime,
  temporaryFolder,
  type Muster,
} from '../../server/src/testing/spawn-muster.ts'
import { adminPassword } from '../../server/src/testing/start-platform.ts'
import { buildClient } from './build.ts'

const run = promisify(execFile)

/** The client's output about the response. */
interface Outcome {
  readonly status: number
  readonly has_subject_token: boolean
  readonly access_key: Token['access_key'] | null
}

const expires_at = '2099-01-01T00:00:00Z'

describe('a client that signs like those of Cloudpods', () => {
  const lifetime = suiteLifetime()
  let client: string
  let muster: Muster
  let token: string
  let key: { id: string; secret: string }
  before(async () => {
    client = await buildClient()
    muster = await spawnMuster(lifetime, {
      flags: [`--data-dir=${temporaryFolder(lifetime)}/data`],
      environment: { MUSTER_ADMIN_PASSWORD: adminPassword },
    })
    const answer = await requestToken(muster.authUrl, {
      identity: passwordIdentity('sysadmin', adminPassword),
      scope: systemProject,
    })
    token = secretOf(answer)
    const credential = { type: 'aksk', project_id: answer.body.token.project.Id, expires_at }
    const made = await ask<{ credential: CredentialDto }>(muster.authUrl, '/v3/credentials', {
      method: 'POST',
      token,
      body: { credential },
    })
    assert.equal(made.status, 201, made.text)
    const { id, blob } = made.body.credential
    key = { id, secret: (JSON.parse(blob) as { secret: string }).secret }
  })

  /** Logs in by the settings that Cloudpods' command line reads. */
  async function logIn(accessKey: string, secret: string): Promise<Outcome> {
    const { stdout } = await run(client, [], {
      env: {
        OS_AUTH_URL: `${muster.authUrl}/v3`,
        OS_ACCESS_KEY: accessKey,
        OS_SECRET_KEY: secret,
      },
    })
    return JSON.parse(stdout) as Outcome
  }
  const refused: Outcome = { status: 401, has_subject_token: false, access_key: null }

  test('gets a token with an access key, without its secret', async () => {
    assert.deepEqual(await logIn(key.id, key.secret), {
      status: 201,
      has_subject_token: true,
      access_key: { AccessKey: key.id, expire: Date.parse(expires_at) / 1_000, secret: '' },
    })
    const { body } = await ask<{ credential: CredentialDto }>(
      muster.authUrl,
      `/v3/credentials/${key.id}`,
      { token },
    )
    assert.equal(body.credential.last_used_ip, '127.0.0.1')
    assert.notEqual(body.credential.last_used_at, null)
  })

  test('gets no token with a wrong secret or an unknown key', async () => {
    assert.deepEqual(await logIn(key.id, `${key.secret}x`), refused)
    assert.deepEqual(await logIn(key.id, key.id), refused)
    assert.deepEqual(await logIn('f'.repeat(32), key.secret), refused)
  })

  test('gets no token with a disabled key', async () => {
    const put = (enabled: boolean) =>
      ask(muster.authUrl, `/v3/credentials/${key.id}`, {
        method: 'PUT',
        token,
        body: { credential: { enabled } },
      })
    assert.equal((await put(false)).status, 200)
    assert.deepEqual(await logIn(key.id, key.secret), refused)
    assert.equal((await put(true)).status, 200)
    assert.equal((await logIn(key.id, key.secret)).status, 201)
  })
})
