import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { startAttached, type Attached } from '../../testing/inventory-world/attached-accounts.ts'
import { domain, some } from '../../testing/fake-libvirt-connection.ts'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const highestProcedure = 500

describe('a source that does not respond', () => {
  const lifetime = suiteLifetime()
  let at: Attached
  before(async () => {
    at = await startAttached(lifetime, 'sqlite')
  })

  test('does not block changes of its account or of others', async (context) => {
    const frozen = await startFakeLibvirt(context, { domains: some })
    const well = await startFakeLibvirt(context, { domains: some })
    const stuck = await at.attachLibvirt(frozen)
    const healthy = await at.attachLibvirt(well)
    for (let number = 0; number < highestProcedure; number += 1) {
      frozen.faults.set(number, 'silence')
    }
    // From now on scans and event listeners hang.
    await at.admin.get('syncCloudAccount', { path: { id: stuck.id } })
    await eventually('it hangs', async () => (await at.show(stuck.id)).sync.state === 'running')

    const changes = Promise.all([
      at.update(stuck.id, { period: 4_000 }),
      at.update(healthy.id, { period: 4_000 }),
    ])
    const late = await startFakeLibvirt(context, { domains: some })
    const newcomer = await at.attachLibvirt(late)
    assert.equal(newcomer.sync.seen, some.length)
    await changes
    await eventually('the healthy one is heard', async () => {
      well.domains.set(domain(1).uuid, domain(1, { name: 'heard' }))
      well.sendEvent(domain(1))
      return (await at.servers(healthy)).some(({ name }) => name === 'heard')
    })
    assert.equal((await at.servers(stuck)).length, some.length)
  })
})
