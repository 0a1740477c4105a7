import type { SourceKind } from '../../domain/sources/source.ts'
import { hostOfAddress } from '../shared/http-address.ts'
import { tlsOptions } from '../shared/tls-settings.ts'
import { awsActing } from './aws-acting.ts'
import { checkAwsSettings } from './aws-settings.ts'

/** Hosts, attributes and Spot requests are optional: they add details. */
const actions = [
  'Addresses',
  'AvailabilityZones',
  'Hosts',
  'Images',
  'InstanceAttribute',
  'Instances',
  'InstanceTypes',
  'KeyPairs',
  'Regions',
  'SecurityGroups',
  'SpotInstanceRequests',
  'Subnets',
  'Volumes',
  'Vpcs',
].map((name) => `ec2:Describe${name}`)

const policy = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }],
}

export const awsKind: SourceKind = {
  provider: 'Aws',
  title: 'AWS EC2',
  description: 'Instances of an AWS account',
  address: {
    isRequired: false,
    description:
      'EC2 endpoint. Empty: the standard endpoints. An endpoint with a region in its name is used for that region only, unless you set regions.',
    example: 'https://ec2.eu-west-1.amazonaws.com',
  },
  credentials: [
    {
      name: 'access_key_id',
      type: 'text',
      isRequired: true,
      isSecret: false,
      description: 'Access key ID',
    },
    { name: 'secret_access_key', type: 'text', isRequired: true, description: 'Secret access key' },
    {
      name: 'session_token',
      type: 'text',
      isRequired: false,
      description: 'Session token, for temporary keys only',
      isLong: true,
    },
  ],
  options: [
    {
      name: 'regions',
      type: 'list',
      isRequired: false,
      description:
        'Regions to read, such as eu-west-1. Empty: the region in the name of the endpoint, otherwise all enabled regions. Required for China and GovCloud.',
    },
    tlsOptions.ca,
    tlsOptions.fingerprint,
  ],
  rights: [{ title: 'IAM policy of the access key', text: JSON.stringify(policy, undefined, 2) }],
  period: 30,
  requestsPerSecond: 20,
  hasEvents: false,
  check: checkAwsSettings,
  hostOf: ({ address }) => (address === '' ? undefined : hostOfAddress(address)),
  async open(settings, context) {
    // Loaded only for accounts of this kind: the SDK is large.
    const { openAws } = await import('./open-aws.ts')
    return await openAws(settings, context)
  },
  acting: awsActing,
}
