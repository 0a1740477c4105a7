import type { TestMoto } from './start.ts'

interface Wish {
  readonly region?: string
  readonly name: string
  readonly type?: string
  readonly count?: number
  /** Further arguments of boto3's `run_instances`. */
  readonly more?: object
}

/** Hands to change what is in moto with. */
export function createFleet({ order }: TestMoto) {
  const images = new Map<string, string>()

  /** An image of the region whose description holds these words. */
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

  /** Instances that run; the ids of all of them. */
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

  return { findImage, run, change }
}
