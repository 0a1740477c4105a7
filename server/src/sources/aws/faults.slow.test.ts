import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, test } from 'node:test'
import { SourceError, type SourceErrorKind } from '../../domain/sources/source-error.ts'
import { refuse, startFakeEc2, succeed, type FakeEc2 } from '../../testing/fake-ec2.ts'
import {
  getReadable,
  scanAll,
  withSource,
} from '../../testing/inventory-world/source-conformance.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { awsKind } from './aws-kind.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'

/** Faults that only EC2 has. The conformance kit injects all others into an emulator. */
describe('faults of EC2', () => {
  const lifetime = suiteLifetime()
  let ec2: FakeEc2
  beforeEach(async () => {
    ec2 = await startFakeEc2(lifetime)
    for (let number = 1; number <= 3; number += 1) {
      ec2.instances.set(`i-${number}`, { name: `server ${number}` })
    }
  })

  const scan = () => withSource(awsKind, ec2.settings, scanAll)

  async function refuses(kind: SourceErrorKind, message: RegExp) {
    await assert.rejects(scan(), (error) => {
      assert.ok(error instanceof SourceError, String(error))
      assert.equal(error.kind, kind, error.message)
      assert.match(error.message, message)
      const shown = `${error.stack}${JSON.stringify(error)}${String(error.cause)}`
      for (const secret of ['fake+&+secret', 'Signature=']) assert.ok(!shown.includes(secret))
      return true
    })
  }

  /** Answers requests of this action differently, and all others as usual. */
  const answer = (action: string, otherwise: (response: ServerResponse) => unknown) => {
    ec2.misbehave = (request, response) => {
      if (request.action !== action) return false
      otherwise(response)
      return true
    }
  }
  const count = (action: string) =>
    ec2.requests.filter((request) => request.action === action).length

  test('a scan without a fault is complete', async () => {
    ec2.pageSize = 2
    assert.equal((await scan()).size, 3)
    assert.equal(count('DescribeInstances'), 2)
  })

  test('reading one server needs no other region', async () => {
    answer('DescribeRegions', (response) => response.destroy())
    await withSource(awsKind, ec2.settings, async (source) => {
      assert.ok(await getReadable(source, referTo('i-1', 'eu-west-1')))
    })
    assert.equal(count('DescribeRegions'), 0)
  })

  test('repeated server errors', async () => {
    answer('DescribeInstances', (response) => {
      response.writeHead(500, { 'content-type': 'text/html' }).end('<h1>Sorry</h1>')
    })
    await refuses('failed', /could not DescribeInstances \(status 500\)/)
    assert.equal(count('DescribeInstances'), 3)
    answer('DescribeVolumes', (response) => refuse(response, 500, 'InternalError'))
    assert.equal((await scan()).size, 3)
  })

  for (const [what, body] of [
    ['the answer to another request', '<DescribeVpcsResponse></DescribeVpcsResponse>'],
    [
      'what its instances are made of, told in entities',
      '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><DescribeInstancesResponse>&b;</DescribeInstancesResponse>',
    ],
    [
      'an instance without an id',
      '<DescribeInstancesResponse><reservationSet><item><ownerId>1</ownerId><instancesSet><item><imageId>x</imageId></item></instancesSet></item></reservationSet></DescribeInstancesResponse>',
    ],
    [
      'an instance without an owner',
      '<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId>i-1</instanceId><instanceState><name>running</name></instanceState></item></instancesSet></item></reservationSet></DescribeInstancesResponse>',
    ],
  ] as const) {
    test(`an invalid response: ${what}`, async () => {
      answer('DescribeInstances', (response) => response.writeHead(200).end(body))
      await refuses('invalid-response', /invalid response to DescribeInstances|has no/)
    })
  }

  test('no regions, or an invalid one', async () => {
    ec2.regions = []
    await refuses('incomplete', /returned no regions/)
    ec2.regions = ['../../evil.example/?']
    await refuses('invalid-response', /is not a region/)
  })

  test('endless pages', async () => {
    let page = 0
    const empty = '<reservationSet/>'
    const token = (name: string) => `<nextToken>${name}</nextToken>`
    answer('DescribeInstances', (response) =>
      succeed(response, 'DescribeInstances', empty, token('same')),
    )
    await refuses('incomplete', /pages of .* repeat/)
    answer('DescribeInstances', (response) =>
      succeed(response, 'DescribeInstances', empty, token(String((page += 1)))),
    )
    await refuses('incomplete', /does not end/)
    const again =
      '<reservationSet><item><ownerId>1</ownerId><instancesSet><item><instanceId>i-1</instanceId><instanceState><name>running</name></instanceState></item></instancesSet></item></reservationSet>'
    answer('DescribeInstances', (response) =>
      succeed(response, 'DescribeInstances', again, token(String((page += 1)))),
    )
    await refuses('incomplete', /does not end/)
  })

  test('a response that is too large', async () => {
    answer('DescribeInstances', (response) =>
      succeed(response, 'DescribeInstances', '<reservationSet/>', '<a/>'.repeat(2_500_000)),
    )
    await refuses('invalid-response', /more than 8388608 bytes to DescribeInstances/)
  })

  for (const [status, code, kind] of [
    [401, 'AuthFailure', 'credentials'],
    [403, 'InvalidClientTokenId', 'credentials'],
    [403, 'SignatureDoesNotMatch', 'credentials'],
    [400, 'ExpiredToken', 'credentials'],
    [400, 'RequestExpired', 'credentials'],
    [403, 'UnauthorizedOperation', 'forbidden'],
    [400, 'AccessDenied', 'forbidden'],
    [401, 'OptInRequired', 'forbidden'],
    [400, 'Throttling', 'throttled'],
    [429, '', 'throttled'],
    [400, 'InvalidParameterValue', 'failed'],
    [404, '', 'invalid-response'],
    [302, '', 'invalid-response'],
  ] as const) {
    test(`an error response: ${status} ${code}`, async () => {
      const leak = 'Signature=abc fake+&+secret'
      ec2.misbehave = (_request, response) => {
        if (code !== '') return refuse(response, status, code, leak)
        response.writeHead(status, { location: `${ec2.url}/elsewhere` }).end(leak)
        return true
      }
      await refuses(kind, code === '' ? new RegExp(`status ${status}`) : new RegExp(code))
      assert.equal(count('DescribeInstances'), 0)
    })
  }

  test('credentials that expire during a scan', async () => {
    ec2.pageSize = 2
    ec2.misbehave = ({ form }, response) =>
      form.has('NextToken') && refuse(response, 400, 'ExpiredToken')
    await refuses('credentials', /does not accept the access key \(ExpiredToken\)/)
  })

  test('a fault in one of several regions', async () => {
    ec2.regions = ['ap-east-1', 'eu-west-1', 'us-east-1', 'us-east-2', 'us-west-1', 'us-west-2']
    ec2.instances.set('i-9', { name: 'far', region: 'us-west-2' })
    assert.equal((await scan()).size, 4)
    ec2.misbehave = ({ region, action }, response) =>
      region === 'us-west-2' &&
      action === 'DescribeInstances' &&
      refuse(response, 403, 'AccessDenied')
    await refuses('forbidden', /not allowed to DescribeInstances/)
  })

  const look = (externalId: string) =>
    withSource(awsKind, ec2.settings, (source) =>
      getReadable(source, referTo(externalId, 'eu-west-1')),
    )

  test('one of several instances no longer exists', async () => {
    assert.equal((await look('i-2'))?.facts.name, 'server 2')
    ec2.instances.delete('i-2')
    assert.equal(await look('i-2'), undefined)
    ec2.instances.set('i-3', { name: 'server 3', state: 'terminated' })
    assert.equal(await look('i-3'), undefined)
  })

  test('no instance of the region exists any more', async () => {
    ec2.instances.clear()
    ec2.instances.set('i-9', { name: 'far', region: 'us-west-2' })
    await assert.rejects(look('i-2'), {
      name: 'UnconfirmedAbsence',
      message: /nor any other instance/,
    })
  })

  test('a get that returns no instance, or another one', async () => {
    const other =
      '<reservationSet><item><ownerId>1</ownerId><instancesSet><item><instanceId>i-1</instanceId><instanceState><name>running</name></instanceState></item></instancesSet></item></reservationSet>'
    for (const content of ['<reservationSet/>', other]) {
      answer('DescribeInstances', (response) => succeed(response, 'DescribeInstances', content))
      await assert.rejects(look('i-2'), { kind: 'invalid-response', message: /did not return/ })
    }
  })

  test('a lookup without permission is an error, not a missing instance', async () => {
    ec2.instances.delete('i-2')
    ec2.misbehave = ({ action, form }, response) =>
      action === 'DescribeInstances' &&
      !form.has('InstanceId.1') &&
      refuse(response, 403, 'UnauthorizedOperation')
    await assert.rejects(look('i-2'), { kind: 'forbidden' })
  })

  test('an instance with an unknown state', async () => {
    ec2.instances.set('i-4', { name: 'odd', state: 'levitating' })
    const odd = [...(await scan()).values()].find(({ facts }) => facts.name === 'odd')
    assert.equal(odd?.facts.status, 'unknown')
    assert.deepEqual(odd?.facts.notes, { source_status: 'levitating' })
  })
})
