import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { ProviderTest } from '@muster/contract'
import { fakePerson, startFakeLdap } from '../../testing/fake-ldap.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startLdapPlatform } from '../../testing/ldap-platform.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

onEngineOfLane('the test of a silent identity provider', (engine) => {
  const lifetime = suiteLifetime()

  test('ends in time, names the option, and no login waits for it', async () => {
    const muster = await startLdapPlatform(lifetime, engine)
    const ldap = await startFakeLdap(lifetime)
    ldap.entries.push(fakePerson('ada'))
    await muster.addLdap({ servers: ldap.url })
    const silent = createServer((socket) => socket.on('error', () => {}))
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    lifetime.after(() => silent.close())
    const { port } = silent.address() as AddressInfo

    const run = (driver: string, options: object) =>
      muster.call<{ test: ProviderTest }>('POST', '/v3/identity_providers/test', {
        identity_provider: { driver, options },
      })
    const settings = {
      oidc: { issuer: `https://localhost:${port}`, client_id: 'muster' },
      cas: { url: `https://localhost:${port}`, service_url: 'https://muster.test/' },
      ldap: { servers: `ldaps://localhost:${port} ldap://localhost:${port}`, base_dn: 'dc=x' },
    }
    const tests = Object.entries(settings).map(([driver, options]) => run(driver, options))
    for (let times = 0; times < 5; times += 1) {
      assert.equal((await muster.logInAs({ name: 'ada' }, 'secret of ada')).status, 201)
    }
    const answers = await Promise.all(tests)
    // The other two of the three wait for their turn, which may end first.
    for (const [at, { status, body, text }] of answers.entries()) {
      if (status === 503) continue
      assert.equal(status, 200, text)
      const option = ['issuer', 'url', 'servers'][at]
      assert.ok(body.test.checks.length > 0 && body.test.duration_ms < 12_000)
      for (const check of body.test.checks) {
        assert.equal(check.option, option)
        assert.match(check.text, /no response within/)
      }
    }
    assert.equal(answers[0]?.status, 200)
  })
})
