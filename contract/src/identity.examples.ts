/** Example bodies for the API reference. The contract's tests check them against the schemas. */
export const exampleTokenRequest = {
  auth: {
    identity: {
      methods: ['password'],
      password: {
        user: { name: 'sysadmin', domain: { name: 'Default' }, password: 'correct horse battery' },
      },
    },
    scope: { project: { name: 'system', domain: { name: 'Default' } } },
  },
}

const none = { id: '', name: '' }
const defaultDomain = { id: 'default', name: 'Default' }
const nobody = { domain: none, ...none }
const sysadmin = { domain: defaultDomain, id: '5f0c1d2e3b4a49588776655443322110', name: 'sysadmin' }
const systemProject = { id: '0a1b2c3d4e5f40718293a4b5c6d7e8f9', name: 'system' }
const systemProjectInToken = { Domain: defaultDomain, Id: systemProject.id, Name: 'system' }

const endpoints = (name: string, url: string) =>
  ['public', 'internal', 'admin'].map((access, index) => ({
    id: `${index}c2f0b1a9e8d4f7c6b5a493827160f1e`,
    interface: access,
    name,
    region: 'region0',
    region_id: 'region0',
    url,
  }))

export const exampleToken = {
  access_key: { AccessKey: '', expire: 0, secret: '' },
  catalog: [
    {
      id: '3d6f9b2c5e8141a4b7d0c3f6e9a2b5d8',
      name: 'keystone',
      type: 'identity',
      endpoints: endpoints('keystone', 'http://127.0.0.1:8400/v3'),
    },
    {
      id: '7a0d3f6c9b2e45f8a1d4c7b0e3f6a9d2',
      name: 'region2',
      type: 'compute_v2',
      endpoints: endpoints('region2', 'http://127.0.0.1:8400'),
    },
  ],
  context: { ip: '127.0.0.1', source: 'api' },
  expires_at: '2026-05-05T08:00:00.000000Z',
  issued_at: '2026-05-04T08:00:00.000000Z',
  is_domain: false,
  methods: ['password'],
  policies: { Domain: [], Project: ['project_owner'], System: ['system_admin'] },
  project: systemProjectInToken,
  projects: [systemProjectInToken],
  role_assignments: [
    {
      group: nobody,
      role: { domain: defaultDomain, id: '11112222333344445555666677778888', name: 'admin' },
      user: sysadmin,
      policies: { domain: [], project: [], system: ['system_admin'] },
      scope: { domain: none, project: nobody },
    },
    {
      group: nobody,
      role: {
        domain: defaultDomain,
        id: '99990000aaaabbbbccccddddeeeeffff',
        name: 'project_owner',
      },
      user: sysadmin,
      policies: { domain: [], project: ['project_owner'], system: [] },
      scope: { domain: none, project: { domain: defaultDomain, ...systemProject } },
    },
  ],
  roles: [
    { id: '11112222333344445555666677778888', name: 'admin' },
    { id: '99990000aaaabbbbccccddddeeeeffff', name: 'project_owner' },
  ],
  user: {
    Displayname: '',
    Email: '',
    Id: sysadmin.id,
    Mobile: '',
    Name: 'sysadmin',
    Domain: defaultDomain,
    PasswordExpiresAt: null,
  },
}

export const exampleVersion = {
  id: 'v3.14',
  status: 'stable',
  updated: '2020-04-07T00:00:00Z',
  links: [{ rel: 'self', href: 'http://127.0.0.1:8400/v3/' }],
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
}
