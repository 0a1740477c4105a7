import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceLoginDto } from '@muster/contract'
import { ask, secretOf } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startOidcPlatform } from '../../testing/oidc-platform.ts'
import { startOidcProvider } from '../../testing/real-oidc.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

onEngineOfLane('the device flow of a certified OpenID provider', (engine) => {
  const lifetime = suiteLifetime()

  test('logs in the person who confirms the code in a browser', async () => {
    const muster = await startOidcPlatform(lifetime, engine)
    const real = await startOidcProvider(lifetime)
    await real.configure({ redirect_uris: [`${muster.url}/callback`] })
    real.addPerson('ada-1815', { preferred_username: 'ada', groups: ['staff'] })
    const lab = await muster.identities.addProject('lab')
    const role_id = await muster.roleId('project_owner')
    const mapping = [{ attribute: 'groups', value: 'staff', role_id, project_id: lab }]
    const options = { scopes: 'openid profile groups', device_client_id: 'muster-cli' }
    const { id: certified } = await muster.addOidc(real.issuer, { name: 'acme', mapping }, options)

    const { body } = await ask<{ device_logins: DeviceLoginDto[] }>(
      muster.url,
      '/v3/auth/device_logins?domain=Default',
    )
    const [login] = body.device_logins
    assert.ok(login)
    const { client_id, scopes: scope } = login
    const begun = await real.post(login.device_authorization_endpoint, { client_id, scope })
    const poll = () =>
      real.post(login.token_endpoint, {
        client_id,
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: begun['device_code'] ?? '',
      })
    assert.equal((await poll())['error'], 'authorization_pending')
    const page = await real
      .createBrowser()
      .confirmDevice(begun['verification_uri_complete'] ?? '', 'ada-1815')
    assert.equal(page, 'Logged in')
    const { id_token = '' } = await poll()

    const answer = await muster.logInWith({ provider: certified, id_token })
    assert.equal(answer.status, 201, answer.text)
    const { methods, user, role_assignments } = answer.body.token
    assert.deepEqual(
      [methods, user.Name, role_assignments[0]?.scope.project.id],
      [['oidc'], 'ada', lab],
    )
    await muster.assertRefused(
      await muster.logInWith({ provider: certified, id_token }),
      /used before/,
    )
    // A person is there, so the login may make a key, unlike that of a program.
    const made = await ask(muster.url, '/v3/credentials', {
      method: 'POST',
      token: secretOf(answer),
      body: { credential: { type: 'aksk', project_id: lab } },
    })
    assert.equal(made.status, 201, made.text)
  })
})
