import type { Server } from '@muster/contract'

/** AWS is three worlds apart, each with a console of its own. */
const hosts = [
  [/^cn-/, 'console.amazonaws.cn'],
  [/^us-gov-/, 'console.amazonaws-us-gov.com'],
  [/^/, 'console.aws.amazon.com'],
] as const

const regionForm = /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/
const instanceForm = /^i-[0-9a-f]{8,17}$/

/**
 * Where AWS shows an instance. Both parts come from a source: what is not just as AWS writes it does
 * not become a link.
 */
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
