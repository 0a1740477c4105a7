import type { SettingProblem, SourceSettings, TlsSettings } from '../../domain/sources/source.ts'
import { httpAddressProblem } from '../shared/http-address.ts'
import { listOption } from '../shared/setting-values.ts'
import { checkTlsSettings, readTlsSettings } from '../shared/tls-settings.ts'
import { isRegion, regionInHost } from './region-names.ts'

export interface AwsSettings {
  /** The endpoint for all requests; by default each region has its own. */
  readonly endpoint: string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | undefined
  /** Empty for every region that the account has enabled. */
  readonly regions: readonly string[]
  /** Whether the administrator listed the regions. Then servers of other regions are removed. */
  readonly areRegionsGiven: boolean
  /** For a private endpoint. */
  readonly tls: TlsSettings
}

/** An endpoint with a region in its name serves only that region. */
function regionOfEndpoint(address: string): readonly string[] {
  const region = address === '' ? undefined : regionInHost(new URL(address).hostname)
  return region === undefined ? [] : [region]
}

export function readAwsSettings(settings: SourceSettings): AwsSettings {
  const { address, credentials } = settings
  const { access_key_id = '', secret_access_key = '', session_token = '' } = credentials
  const regions = listOption(settings, 'regions')
  return {
    endpoint: address === '' ? undefined : address,
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
    sessionToken: session_token === '' ? undefined : session_token,
    regions: regions.length === 0 ? regionOfEndpoint(address) : regions,
    areRegionsGiven: regions.length > 0,
    tls: readTlsSettings(settings),
  }
}

export function checkAwsSettings(settings: SourceSettings): readonly SettingProblem[] {
  const problems: SettingProblem[] = []
  const report = (path: string, problem: string | undefined) => {
    if (problem !== undefined) problems.push({ path, problem })
  }
  if (settings.address !== '') report('address', httpAddressProblem(settings.address))
  for (const [name, value] of Object.entries(settings.credentials)) {
    // Keys are sent in headers. A copied line break is the usual mistake.
    if (!/^[\x21-\x7e]*$/.test(value)) {
      report(
        `credentials.${name}`,
        'contains a space, a line break or a character that keys cannot contain',
      )
    }
  }
  problems.push(...checkTlsSettings(settings))
  if (!settings.address.startsWith('https:')) {
    for (const name of Object.keys(readTlsSettings(settings))) {
      report(`options.${name}`, 'is for an endpoint of your own: it needs an address with https://')
    }
  }
  const regions = listOption(settings, 'regions')
  const invalid = regions.find((region) => !isRegion(region))
  if (invalid !== undefined) {
    report(
      'options.regions',
      `contains ${JSON.stringify(invalid)}, which is not a region: use names such as eu-west-1`,
    )
  } else if (new Set(regions).size < regions.length) {
    report('options.regions', 'lists a region twice')
  }
  return problems
}
