import type { Server } from '@muster/contract'

/** Each AWS partition has its own console. */
const hosts = [
  [/^cn-/, 'console.amazonaws.cn'],
  [/^us-gov-/, 'console.amazonaws-us-gov.com'],
  [/^/, 'console.aws.amazon.com'],
] as const

const regionForm = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/
const instanceForm = /^i-[0-9a-f]{8,17}$/

/** The AWS console page of an instance. Values from a source become a link only in AWS's own format. */
export function awsConsoleUrl(
  server: Pick<Server, 'provider' | 'region_ext_id' | 'external_id'>,
): string | undefined {
  const { provider, region_ext_id: region, external_id: instance } = server
  if (provider !== 'Aws' || !regionForm.test(region) || !instanceForm.test(instance)) {
    return undefined
  }
  const host = hosts.find(([prefix]) => prefix.test(region))?.[1]
  return `https://${region}.${host}/ec2/home?region=${region}#InstanceDetails:instanceId=${instance}`
}
