import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { loginAdmin } from '../../server/src/testing/client.ts'
import {
  startFaultProxy,
  type FaultProxy,
  type ProxiedRequest,
} from '../../server/src/testing/inventory-world/fault-proxy.ts'
import {
  operate,
  startOperatedMuster,
  type Operator,
} from '../../server/src/testing/inventory-world/operate-muster.ts'
import { suiteLifetime, temporaryFolder } from '../../server/src/testing/spawn-muster.ts'
import { startVcsim, type TestVcsim } from './start.ts'

const uuid = '3f0f6f0e-3f0c-4a57-9d0f-2e4f6f5a7f32'
const count = 300

const readsMachines = ({ body }: ProxiedRequest) =>
  body.includes('<RetrievePropertiesEx') && body.includes('<obj type="VirtualMachine">')

describe('another vCenter without machines behind the same address', () => {
  const lifetime = suiteLifetime()
  let current: TestVcsim
  let full: TestVcsim
  let empty: TestVcsim
  let proxy: FaultProxy
  let operator: Operator
  let account: string
  before(async () => {
    full = await startVcsim({ vms: 1, copies: count - 2, uuid })
    empty = await startVcsim({ vms: 0, uuid })
    current = full
    proxy = await startFaultProxy(lifetime, { upstream: () => current.url })
    const muster = await startOperatedMuster(lifetime, { folder: temporaryFolder(lifetime) })
    operator = operate(muster, await loginAdmin(muster.authUrl))
    const { credentials } = full.settings
    const settings = { provider: 'VMware', address: proxy.url, credentials, period: 3_600 }
    account = await operator.attach(settings)
    await operator.finished(account)
    assert.equal(await operator.count(), count)
  })
  after(async () => {
    await full.stop()
    await empty.stop()
  })

  const replace = (by: TestVcsim) => {
    current = by
    proxy.connection.cut()
    proxy.connection.restore()
  }
  const sync = async () => {
    const { finished_at } = (await operator.show(account)).sync
    await operator.request(`/cloudaccounts/${account}/sync`, 'POST')
    return await operator.finished(account, finished_at ?? '')
  }
  const logins = () => proxy.requests.filter(({ body }) => body.includes('<Login ')).length

  test('removes no server, whether it appears in a sync or between two', async () => {
    const before = (await operator.servers()).map(({ id }) => id)
    let pages = 0
    proxy.onRequest = (request) => {
      if (!readsMachines(request)) return
      pages += 1
      if (pages === 3) replace(empty)
    }
    const known = logins()
    await operator.request(`/cloudaccounts/${account}/sync`, 'POST')
    await eventually('the vCenter is replaced', async () => pages >= 3, { deadline: 30 })
    proxy.onRequest = undefined
    await eventually('Muster logs in again', async () => logins() > known, { deadline: 30 })
    const { sync: result } = await sync()
    assert.ok(result.warnings.some(({ kind }) => kind === 'missing'))
    assert.equal(await operator.count(), count)

    replace(full)
    await sync()
    replace(empty)
    await sync()
    assert.equal(await operator.count(), count)

    replace(full)
    assert.deepEqual((await sync()).sync.warnings, [])
    assert.deepEqual(
      (await operator.servers()).map(({ id }) => id),
      before,
    )
  })
})
