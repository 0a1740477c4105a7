import type { SettingField, SourceKind } from '../../domain/sources/source.ts'
import { hostOfAddress } from '../shared/http-address.ts'
import { tlsOptions } from '../shared/tls-settings.ts'
import { openstackActing } from './openstack-acting.ts'
import { checkOpenStackSettings } from './openstack-settings.ts'

const readerRights = `openstack user create --domain default --password-prompt muster
openstack role add --user muster --domain default --inherited reader`

const applicationCredentialRights = `openstack role add --user muster --project web reader
openstack --os-username muster --os-project-name web application credential create --role reader muster`

const adminRights = `openstack role add --user muster --project admin admin`

const optionalText = (name: string, description: string): SettingField => ({
  name,
  type: 'text',
  isRequired: false,
  description,
})

const publicText = (name: string, description: string): SettingField => ({
  ...optionalText(name, description),
  isSecret: false,
})

export const openstackKind: SourceKind = {
  provider: 'OpenStack',
  title: 'OpenStack',
  description:
    'Servers of an OpenStack cloud. Muster asks Nova for changes every 4 seconds; changes of volumes, addresses and networks are updated at the sync interval.',
  rights: [
    { title: 'Read all projects of a domain', text: readerRights },
    {
      title: 'Read one project, with an application credential',
      text: applicationCredentialRights,
    },
    { title: 'Read all projects and the compute hosts', text: adminRights },
  ],
  address: {
    isRequired: true,
    description: 'Address of Keystone, as in OS_AUTH_URL',
    example: 'https://keystone.example.org:5000/v3',
  },
  credentials: [
    publicText('username', 'User name'),
    optionalText('password', 'Password'),
    publicText('user_domain', 'Name or id of the domain of the user. Empty: default.'),
    publicText(
      'application_credential_id',
      'Id of an application credential, instead of a user name and password',
    ),
    optionalText('application_credential_secret', 'Secret of the application credential'),
  ],
  options: [
    optionalText(
      'project',
      'Name or id of the project to authenticate in. Empty: every project in which the user has a role.',
    ),
    optionalText('project_domain', 'Name or id of the domain of the project. Empty: default.'),
    {
      name: 'regions',
      type: 'list',
      isRequired: false,
      description: 'Regions to read. Empty: all regions of the catalog with a compute service.',
    },
    optionalText('interface', 'Endpoints to use: public, internal or admin. Empty: public.'),
    tlsOptions.ca,
    tlsOptions.fingerprint,
  ],
  // Changes of servers come every few seconds, all else with a complete scan.
  period: 60,
  requestsPerSecond: 20,
  hasEvents: true,
  check: checkOpenStackSettings,
  hostOf: ({ address }) => hostOfAddress(address),
  async open(...given) {
    // Loaded only for accounts of this kind.
    const { openOpenStack } = await import('./open-openstack.ts')
    return await openOpenStack(...given)
  },
  acting: openstackActing,
}
