import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import type { ServerResponse } from 'node:http'
import { startFakeEc2, succeed, type FakeEc2 } from '../../testing/fake-ec2.ts'
import { conformanceContext, scanAll } from '../../testing/inventory-world/source-conformance.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { awsKind } from './aws-kind.ts'
import { listElements } from './list-elements.ts'

/** One instance that refers to something on every list. */
const instance = `<reservationSet><item><ownerId>1</ownerId><instancesSet><item>
  <instanceId>i-1</instanceId><imageId>ami-1</imageId><instanceType>t3.micro</instanceType>
  <keyName>key</keyName><instanceState><name>running</name></instanceState>
  <placement><availabilityZone>eu-west-1a</availabilityZone><hostId>h-1</hostId></placement>
  <spotInstanceRequestId>sir-1</spotInstanceRequestId>
  <blockDeviceMapping><item><deviceName>/dev/sda</deviceName><ebs><volumeId>vol-1</volumeId></ebs></item></blockDeviceMapping>
  <networkInterfaceSet><item><networkInterfaceId>eni-1</networkInterfaceId><subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId>
    <groupSet><item><groupId>sg-1</groupId></item></groupSet><association><publicIp>192.0.2.1</publicIp></association></item></networkInterfaceSet>
</item></instancesSet></item></reservationSet>`

describe('lists in EC2 responses', () => {
  const lifetime = suiteLifetime()
  let ec2: FakeEc2
  beforeEach(async () => {
    ec2 = await startFakeEc2(lifetime)
  })

  async function scanWith(action: string, content: string) {
    ec2.misbehave = (request, response: ServerResponse) => {
      if (request.action === action) return succeed(response, action, content)
      return request.action === 'DescribeInstances'
        ? succeed(response, request.action, instance)
        : false
    }
    const source = await awsKind.open(ec2.settings, conformanceContext, AbortSignal.timeout(10_000))
    try {
      const pages = await Array.fromAsync(source.scan(AbortSignal.timeout(10_000)))
      return {
        servers: pages.flatMap(({ present }) => present).length,
        failed: pages.flatMap(({ failed = [] }) => failed),
      }
    } finally {
      await source.close()
    }
  }

  for (const [action, name] of Object.entries(listElements)) {
    test(`${action} requires ${name}, which may be empty`, async () => {
      for (const content of [
        '',
        `<other><${name}/></other>`,
        `<${name}>none</${name}>`,
        `<${name}><member/></${name}>`,
      ]) {
        const scan = scanWith(action, content)
        if (action === 'DescribeRegions' || action === 'DescribeInstances') {
          await assert.rejects(scan, { kind: 'invalid-response' }, content)
          continue
        }
        const { servers, failed } = await scan
        assert.equal(servers, 1, content)
        assert.deepEqual(
          failed.map(({ error }) => error.kind),
          ['invalid-response'],
          content,
        )
      }
      if (action === 'DescribeRegions') return
      for (const content of [`<${name}/>`, `<${name}></${name}>`, `<${name}>\n  </${name}>`]) {
        const { servers, failed } = await scanWith(action, content)
        assert.equal(servers, action === 'DescribeInstances' ? 0 : 1, content)
        assert.deepEqual(failed, [], content)
      }
    })
  }

  test('a later page without its list is an error', async () => {
    const first = `${instance}<nextToken>2</nextToken>`
    ec2.misbehave = ({ action, form }, response) =>
      action === 'DescribeInstances' &&
      succeed(response, action, form.has('NextToken') ? '' : first)
    const source = await awsKind.open(ec2.settings, conformanceContext, AbortSignal.timeout(10_000))
    await assert.rejects(scanAll(source), { kind: 'invalid-response' })
    await source.close()
  })

  test('a reservation without an instance list is an error', async () => {
    const content = '<reservationSet><item><ownerId>1</ownerId></item></reservationSet>'
    await assert.rejects(scanWith('DescribeInstances', content), { kind: 'invalid-response' })
  })
})
