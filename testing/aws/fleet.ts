import type { SourceRights } from '../../server/src/domain/sources/source.ts'
import type { TestMoto } from './start.ts'

interface Wish {
  readonly region?: string
  readonly name: string
  readonly type?: string
  readonly count?: number
  /** Further arguments of boto3's `run_instances`. */
  readonly more?: object
}

/** The actions that IAM policies allow. */
export const actionsOf = (rights: readonly SourceRights[]): string[] =>
  rights
    .map(({ text }) => JSON.parse(text) as { Statement: { Action: string[] }[] })
    .flatMap(({ Statement }) => Statement.flatMap(({ Action }) => Action))

/** Functions that change the content of moto. */
export function createFleet({ order }: TestMoto) {
  const images = new Map<string, string>()

  /** An image of the region whose description contains these words. */
  async function findImage(region: string, words: string): Promise<string> {
    const known = images.get(`${region} ${words}`)
    if (known !== undefined) return known
    const { Images } = await order<{ Images: { ImageId: string }[] }>({
      region,
      call: 'describe_images',
      with: { Filters: [{ Name: 'description', Values: [`*${words}*`] }] },
    })
    const id = Images[0]?.ImageId ?? ''
    images.set(`${region} ${words}`, id)
    return id
  }

  /** Starts instances and returns their ids. */
  async function run({
    region = 'eu-west-1',
    name,
    type,
    count = 1,
    more,
  }: Wish): Promise<string[]> {
    const { Instances } = await order<{ Instances: { InstanceId: string }[] }>({
      region,
      call: 'run_instances',
      with: {
        ImageId: await findImage(region, 'Amazon Linux 2023'),
        InstanceType: type ?? 't3.micro',
        MinCount: count,
        MaxCount: count,
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'Name', Value: name }] }],
        ...more,
      },
    })
    return Instances.map(({ InstanceId }) => InstanceId)
  }

  const change = async (call: string, id: string, region?: string) => {
    await order({ ...(region !== undefined && { region }), call, with: { InstanceIds: [id] } })
  }

  /** A key that is allowed these actions only. */
  async function makeKey(UserName: string, actions: readonly string[]) {
    const iam = <Answer>(call: string, input: object) =>
      order<Answer>({ service: 'iam', region: 'us-east-1', call, with: input })
    await iam('create_user', { UserName })
    await iam('put_user_policy', {
      UserName,
      PolicyName: 'some',
      PolicyDocument: JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }],
      }),
    })
    const { AccessKey } = await iam<{
      AccessKey: { AccessKeyId: string; SecretAccessKey: string }
    }>('create_access_key', { UserName })
    return {
      access_key_id: AccessKey.AccessKeyId,
      secret_access_key: AccessKey.SecretAccessKey,
    }
  }

  return { findImage, run, change, makeKey }
}
