import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Source } from '../../domain/sources/source.ts'
import { startFakeEc2, type FakeEc2 } from '../../testing/fake-ec2.ts'
import { conformanceContext } from '../../testing/inventory-world/source-conformance.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { awsKind } from './aws-kind.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'

const soon = () => AbortSignal.timeout(10_000)

describe('an unreadable EC2 instance', () => {
  const lifetime = suiteLifetime()
  let ec2: FakeEc2
  let source: Source
  beforeEach(async () => {
    ec2 = await startFakeEc2(lifetime)
    for (let number = 1; number <= 9; number += 1) {
      ec2.instances.set(`i-${number}`, { name: `server ${number}` })
    }
    source = await awsKind.open(ec2.settings, conformanceContext, soon())
  })

  afterEach(() => source.close())

  const odd: readonly (readonly [string, Parameters<FakeEc2['instances']['set']>[1], RegExp])[] = [
    ['has no state', { name: 'odd', state: '' }, /has no state/],
    ['has an invalid launch time', { name: 'odd', launchTime: 'yesterday' }, /not valid/],
  ]
  for (const [what, instance, reason] of odd) {
    test(`all others are reported if one ${what}`, async () => {
      ec2.pageSize = 4
      ec2.instances.set('i-5', instance)
      const pages = await Array.fromAsync(source.scan(soon()))
      const names = pages.flatMap(({ present }) => present.map(({ facts }) => facts.external_id))
      assert.deepEqual(names, ['i-1', 'i-2', 'i-3', 'i-4', 'i-6', 'i-7', 'i-8', 'i-9'])
      const unreadable = pages.flatMap((page) => page.unreadable ?? [])
      assert.deepEqual(
        unreadable.map(({ key }) => key),
        [['aws', '210987654321', 'eu-west-1', 'i-5']],
      )
      assert.match(unreadable[0]?.reason ?? '', reason)
      assert.deepEqual(
        pages.flatMap(({ gone }) => gone),
        [],
      )
      const one = await source.get(referTo('i-5', 'eu-west-1'), soon())
      assert.deepEqual(one, unreadable[0])
    })
  }

  const seenBy = (pages: Awaited<ReturnType<typeof scan>>) =>
    new Set(
      pages
        .flatMap(({ present, unreadable = [] }) => [...present, ...unreadable])
        .map(({ key }) => key.at(-1)),
    )
  const scan = () => Array.fromAsync(source.scan(soon()))
  const everyone = new Set(ids())
  function* ids() {
    for (let number = 1; number <= 9; number += 1) yield `i-${number}`
  }

  test('all others are reported if the owner id is not a number, as with some emulators', async () => {
    for (const [id, instance] of ec2.instances) {
      ec2.instances.set(id, { ...instance, owner: 'f00-project' })
    }
    ec2.instances.set('i-5', { name: 'odd', owner: 'f00-project', launchTime: 'yesterday' })
    assert.deepEqual(seenBy(await scan()), everyone)
  })

  test('no instance is missed if lookups by id have smaller pages', async () => {
    ec2.instances.set('i-5', { name: 'odd', launchTime: 'yesterday' })
    ec2.misbehave = ({ form }) => {
      ec2.pageSize = form.has('Filter.1.Name') ? 1 : 100
      return false
    }
    assert.deepEqual(seenBy(await scan()), everyone)
  })

  test('an instance that is listed but not found by id does not count as gone', async () => {
    ec2.instances.set('i-5', { name: 'odd', launchTime: 'yesterday' })
    const hidden = { name: 'hidden', owner: '123456789012' }
    ec2.instances.set('i-7', hidden)
    ec2.misbehave = ({ form }) => {
      if (form.has('Filter.1.Name')) ec2.instances.delete('i-7')
      else ec2.instances.set('i-7', hidden)
      return false
    }
    const pages = await scan()
    assert.deepEqual(seenBy(pages), everyone)
    const keys = pages.flatMap(({ unreadable = [] }) => unreadable.map(({ key }) => key))
    assert.deepEqual(keys, [
      ['aws', '210987654321', 'eu-west-1', 'i-5'],
      ['aws', '123456789012', 'eu-west-1', 'i-7'],
    ])
  })
})
