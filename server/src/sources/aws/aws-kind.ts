import type { SourceKind } from '../../domain/sources/source.ts'
import { checkAwsSettings } from './aws-settings.ts'

export const awsKind: SourceKind = {
  provider: 'Aws',
  title: 'AWS EC2',
  description:
    'Instances of an AWS account. Its key has to be allowed ec2:DescribeAddresses, DescribeAvailabilityZones, DescribeImages, DescribeInstances, DescribeInstanceTypes, DescribeKeyPairs, DescribeRegions, DescribeSecurityGroups, DescribeSubnets, DescribeVolumes and DescribeVpcs, and nothing else.',
  address: {
    isRequired: false,
    description:
      'Where EC2 answers, if not at its usual addresses. An endpoint with a region in its name serves that region alone, unless regions are given',
    example: 'https://ec2.eu-west-1.amazonaws.com',
  },
  credentials: [
    { name: 'access_key_id', type: 'text', isRequired: true, description: 'Access key ID' },
    { name: 'secret_access_key', type: 'text', isRequired: true, description: 'Secret access key' },
    {
      name: 'session_token',
      type: 'text',
      isRequired: false,
      description: 'Session token, where the key is a temporary one',
      isLong: true,
    },
  ],
  options: [
    {
      name: 'regions',
      type: 'list',
      isRequired: false,
      description:
        'Regions to look at, such as eu-west-1; without any, the one in the name of the endpoint, else all that the account has enabled. An account in China or GovCloud has to name them.',
    },
    {
      name: 'ca',
      type: 'text',
      isRequired: false,
      isLong: true,
      description: 'Authority that signed the certificate of a private endpoint, in PEM',
    },
  ],
  period: 30,
  requestsPerSecond: 20,
  hasEvents: false,
  check: checkAwsSettings,
  hostOf: ({ address }) =>
    address === '' ? undefined : new URL(address).hostname.replace(/^\[(.*)\]$/, '$1'),
  async open(...given) {
    // Loaded only for accounts of this kind: the SDK is large.
    const { openAws } = await import('./open-aws.ts')
    return await openAws(...given)
  },
}
