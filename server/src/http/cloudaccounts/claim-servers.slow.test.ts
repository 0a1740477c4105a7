import assert from 'node:assert/strict'
import { before, test, type TestContext } from 'node:test'
import type { Claim, CloudAccount } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import {
  domainServerId,
  startAttached,
  type Attached,
} from '../../testing/inventory-world/attached-accounts.ts'
import { domain, uuidOf } from '../../testing/fake-libvirt-connection.ts'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

onPostgresFirst('POST /cloudaccounts/{id}/claim', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  const projects = { 'same domain': '', 'other domain': '' }
  before(async () => {
    at = await startAttached(lifetime, engine)
    projects['same domain'] = await at.identities.addProject('near')
    const far = await at.identities.addDomain('far')
    projects['other domain'] = await at.identities.addProject('far', far)
  })

  /** Guests 1 and 2 are seen by both accounts, 3 by the first one and 4 by the second one only. */
  async function share(context: TestContext, place: keyof typeof projects) {
    const shared = [domain(1, { name: 'web-1' }), domain(2, { name: 'db-1' })]
    const options = { group: newId() }
    const attach = async (guest: number, project_id: string) => {
      const domains = [...shared, domain(guest, { name: `own-${guest}` })]
      return await at.attachLibvirt(await startFakeLibvirt(context, { domains }), {
        options,
        project_id,
      })
    }
    const holder = await attach(3, at.projectId)
    const other = await attach(4, projects[place])
    const id = (guest: number) => domainServerId(holder, uuidOf(guest))
    return { holder, other, id }
  }

  const post = (caller: Pick<Attached['admin'], 'call'>, id: string, claim: object) =>
    caller.call<{ claim: Claim; details?: string }>('claimServers', {
      path: { id },
      body: { claim },
    })
  const warned = async ({ id }: CloudAccount) =>
    (await at.sync(id)).sync.warnings.filter(({ kind }) => kind === 'shared')

  for (const place of ['same domain', 'other domain'] as const) {
    for (const by of ['ids', 'q'] as const) {
      test(`gives servers by ${by} to an account of the ${place}`, async (context) => {
        const { holder, other, id } = await share(context, place)
        for (const [one, another] of [
          [holder, other],
          [other, holder],
        ] as const) {
          const [warning, ...more] = await warned(one)
          assert.deepEqual([warning?.count, more.length], [2, 0])
          assert.ok(warning)
          assert.ok(warning.text.includes(another.name), warning.text)
          assert.ok(!warning.text.includes(one.name), warning.text)
        }
        const unknown = newId()
        const request =
          by === 'ids' ? { ids: [id(1), id(3), id(4), unknown] } : { q: `web -account:${other.id}` }
        const dryRun = await post(at.admin, other.id, { ...request, dry_run: true })
        assert.equal(dryRun.status, 200, dryRun.text)
        const { items, total, matched } = dryRun.body.claim
        const outcome = place === 'same domain' ? 'move' : 'replace'
        const expected =
          by === 'ids'
            ? [
                [id(1), 'web-1', outcome, undefined],
                [id(3), 'own-3', 'refused', 'InvalidStatusError'],
                [id(4), 'own-4', 'already', undefined],
                [unknown, '', 'refused', 'ResourceNotFoundError'],
              ]
            : [[id(1), 'web-1', outcome, undefined]]
        assert.deepEqual(
          items.map((item) => [item.server_id, item.server, item.outcome, item.class]),
          expected,
        )
        assert.equal(total, expected.length)
        assert.equal((await at.server(id(1)))?.account_id, holder.id, 'a dry run changes nothing')

        for (const [claim, status] of [
          [request, 400],
          [{ ...request, matched: 'another' }, 409],
          [{ ids: [id(2)], matched }, 409],
          [{ matched }, 400],
          [{ ids: [id(1)], q: 'web', dry_run: true }, 400],
          [{ q: ' ', dry_run: true }, 400],
          [{ q: 'nothing-matches', matched }, 400],
          [{ ...request, matched, force: true }, 400],
        ] as const) {
          const answer = await post(at.admin, other.id, claim)
          assert.equal(answer.status, status, JSON.stringify(claim))
        }
        const none = await post(at.admin, other.id, { q: 'nothing-matches', dry_run: true })
        assert.deepEqual([none.status, none.body.claim.total], [200, 0])
        assert.equal((await at.server(id(1)))?.account_id, holder.id)

        const done = await post(at.admin, other.id, { ...request, matched })
        assert.equal(done.status, 200, done.text)
        const again = await post(at.admin, other.id, { ...request, matched })
        assert.equal(again.status, by === 'ids' ? 409 : 400)
        const [claimed] = await at.servers(other, 'name=web-1')
        assert.equal(claimed?.account_id, other.id)
        assert.equal(claimed.id === id(1), place === 'same domain')
        assert.equal((await at.server(id(2)))?.account_id, holder.id, 'others stay')
        // Both accounts still see both.
        for (const account of [holder, other]) assert.equal((await warned(account))[0]?.count, 2)
      })
    }
  }

  test('is for system administrators, and tells others nothing', async (context) => {
    const { other, id } = await share(context, 'same domain')
    const claim = { ids: [id(1)], dry_run: true }
    for (const role of ['project_owner', 'project_editor', 'project_viewer']) {
      const caller = await at.addCaller(role)
      const [known, unknown] = [
        await post(caller, other.id, claim),
        await post(caller, newId(), claim),
      ]
      assert.deepEqual([known.status, unknown.status], [403, 403])
      assert.equal(known.body.details, unknown.body.details)
      assert.ok(!known.text.includes('web-1') && !known.text.includes(other.name))
    }
    assert.equal((await post(at.admin, newId(), claim)).status, 404)
    await at.update(other.id, { enabled: false })
    assert.equal((await post(at.admin, other.id, claim)).status, 409)
  })
})
