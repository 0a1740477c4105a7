import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { awsConsoleUrl } from './aws-console-url.ts'

const link = (region_ext_id: string, external_id = 'i-0a1b2c3d4e5f60718', provider = 'Aws') =>
  awsConsoleUrl({ provider, region_ext_id, external_id })

describe('the AWS console URL of an instance', () => {
  it('is in the console of its region and partition', () => {
    assert.equal(
      link('eu-central-1'),
      'https://eu-central-1.console.aws.amazon.com/ec2/home?region=eu-central-1#InstanceDetails:instanceId=i-0a1b2c3d4e5f60718',
    )
    assert.equal(new URL(link('cn-north-1') ?? '').host, 'cn-north-1.console.amazonaws.cn')
    assert.equal(
      new URL(link('us-gov-west-1') ?? '').host,
      'us-gov-west-1.console.amazonaws-us-gov.com',
    )
  })

  it('is undefined for other providers', () => {
    assert.equal(link('eu-central-1', 'i-0a1b2c3d4e5f60718', 'OpenStack'), undefined)
  })

  it('is undefined for values that are not in AWS format', () => {
    for (const region of [
      '',
      'evil.example/',
      'eu-central-1.evil.example',
      'EU',
      'a@b-1',
      'eu-central-1\n',
    ]) {
      assert.equal(link(region), undefined, region)
    }
    for (const id of ['', 'i-', 'x', 'i-0a1b2c3d#x', 'javascript:alert(1)', 'i-0a1b2c3d\n']) {
      assert.equal(link('eu-central-1', id), undefined, id)
    }
  })
})
