/** Lists the regions of the account if none is configured. */
export const defaultRegion = 'us-east-1'

/** Names of regions. EC2 returns only their codes. */
const regionTitles: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'af-south-1': 'Africa (Cape Town)',
    'ap-east-1': 'Asia Pacific (Hong Kong)',
    'ap-east-2': 'Asia Pacific (Taipei)',
    'ap-northeast-1': 'Asia Pacific (Tokyo)',
    'ap-northeast-2': 'Asia Pacific (Seoul)',
    'ap-northeast-3': 'Asia Pacific (Osaka)',
    'ap-south-1': 'Asia Pacific (Mumbai)',
    'ap-south-2': 'Asia Pacific (Hyderabad)',
    'ap-southeast-1': 'Asia Pacific (Singapore)',
    'ap-southeast-2': 'Asia Pacific (Sydney)',
    'ap-southeast-3': 'Asia Pacific (Jakarta)',
    'ap-southeast-4': 'Asia Pacific (Melbourne)',
    'ap-southeast-5': 'Asia Pacific (Malaysia)',
    'ap-southeast-6': 'Asia Pacific (New Zealand)',
    'ap-southeast-7': 'Asia Pacific (Thailand)',
    'ca-central-1': 'Canada (Central)',
    'ca-west-1': 'Canada West (Calgary)',
    'cn-north-1': 'China (Beijing)',
    'cn-northwest-1': 'China (Ningxia)',
    'eu-central-1': 'Europe (Frankfurt)',
    'eu-central-2': 'Europe (Zurich)',
    'eu-north-1': 'Europe (Stockholm)',
    'eu-south-1': 'Europe (Milan)',
    'eu-south-2': 'Europe (Spain)',
    'eu-west-1': 'Europe (Ireland)',
    'eu-west-2': 'Europe (London)',
    'eu-west-3': 'Europe (Paris)',
    'il-central-1': 'Israel (Tel Aviv)',
    'me-central-1': 'Middle East (UAE)',
    'me-south-1': 'Middle East (Bahrain)',
    'mx-central-1': 'Mexico (Central)',
    'sa-east-1': 'South America (São Paulo)',
    'us-east-1': 'US East (N. Virginia)',
    'us-east-2': 'US East (Ohio)',
    'us-gov-east-1': 'GovCloud (US-East)',
    'us-gov-west-1': 'GovCloud (US-West)',
    'us-west-1': 'US West (N. California)',
    'us-west-2': 'US West (Oregon)',
  }),
)

/** The name of a region; its code if the list does not have it. */
export const regionName = (region: string): string => `AWS ${regionTitles.get(region) ?? region}`

/** The code of a region becomes part of a host name, so no other text is accepted. */
export const isRegion = (text: string): boolean =>
  /^[a-z]{2,5}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/.test(text)

/** The region in the host name of an endpoint, such as `ec2.eu-west-1.example.internal`. */
export function regionInHost(host: string): string | undefined {
  // Next to the name of the service any region is accepted, also one of a private cloud; elsewhere only those
  // of AWS.
  const [, beside = ''] = /(?:^|\.)ec2[.-]([^.]+)(?:\.|$)/.exec(host) ?? []
  if (isRegion(beside)) return beside
  return host.split('.').find((label) => regionTitles.has(label))
}

/** Partitions such as China or GovCloud have their own regions and keys. */
export const partitionOf = (region: string): string =>
  /^(?:cn|us-gov|us-iso[a-z]?|eu-isoe|eusc)(?=-)/.exec(region)?.[0] ?? ''

export const environmentOf = (region: string): string =>
  partitionOf(region) === 'cn' ? 'ChinaCloud' : 'InternationalCloud'
