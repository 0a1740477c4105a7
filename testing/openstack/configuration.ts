/** The ports of one back end, all on 127.0.0.1. */
export interface Ports {
  readonly keystone: number
  readonly nova: number
  readonly mariadb: number
  readonly memcached: number
  readonly network: number
  readonly volume: number
  readonly image: number
  readonly placement: number
  readonly rabbitmq: number
}

export interface Place {
  readonly folder: string
  readonly root: string
  readonly ports: Ports
  readonly compute: boolean
}

export const databaseUrl = (ports: Pick<Ports, 'mariadb'>, name: string) =>
  `mysql+pymysql://root@127.0.0.1:${ports.mariadb}/${name}`

const cacheSection = (ports: Ports) => `
[cache]
enabled = ${ports.memcached !== 0}
backend = dogpile.cache.pymemcache
memcache_servers = 127.0.0.1:${ports.memcached}
`

/** How a service authenticates at Keystone. */
const serviceUser = (ports: Ports) => `auth_url = http://127.0.0.1:${ports.keystone}/v3
auth_type = password
username = nova
password = nova-password
user_domain_id = default
project_name = service
project_domain_id = default
region_name = RegionOne
`

const tokenSection = (ports: Ports) => `
[keystone_authtoken]
www_authenticate_uri = http://127.0.0.1:${ports.keystone}/
memcached_servers = 127.0.0.1:${ports.memcached}
service_token_roles_required = true
${serviceUser(ports)}`

/** All else is Keystone's default. The least cost of passwords, because tests log in often. */
export const keystoneConfiguration = ({ folder, ports }: Place): string => `[DEFAULT]
log_file = ${folder}/keystone.log
use_stderr = false
[database]
connection = ${databaseUrl(ports, 'keystone')}
${cacheSection(ports)}
[identity]
password_hash_rounds = 4
[fernet_tokens]
key_repository = ${folder}/keys
[fernet_receipts]
key_repository = ${folder}/keys
[credential]
key_repository = ${folder}/credential-keys
`

export const transportUrl = ({ compute, ports }: Pick<Place, 'compute' | 'ports'>): string =>
  compute ? `rabbit://guest:guest@127.0.0.1:${ports.rabbitmq}/` : 'fake:/'

/**
 * All else is Nova's default. Without compute there is no message bus: what the API sends to a compute
 * host goes nowhere. The hosts of seeded servers never report, so they count as up for ten years.
 */
export const novaConfiguration = (place: Place): string => `[DEFAULT]
log_file = ${place.folder}/nova.log
use_stderr = false
state_path = ${place.folder}/nova
my_ip = 127.0.0.1
host = compute-fake
transport_url = ${transportUrl(place)}
rpc_response_timeout = ${place.compute ? 60 : 5}
service_down_time = 315360000
compute_driver = fake.FakeDriver
allow_resize_to_same_host = true
[api_database]
connection = ${databaseUrl(place.ports, 'nova_api')}
[database]
connection = ${databaseUrl(place.ports, 'nova')}
${cacheSection(place.ports)}${tokenSection(place.ports)}
[oslo_policy]
policy_dirs = ${place.folder}/policy.d
[neutron]
${serviceUser(place.ports)}
[placement]
${serviceUser(place.ports)}
[glance]
region_name = RegionOne
[workarounds]
disable_libvirt_livesnapshot = true
[conductor]
workers = 1
[scheduler]
workers = 1
[quota]
instances = -1
cores = -1
ram = -1
[oslo_concurrency]
lock_path = ${place.folder}/nova
[oslo_messaging_notifications]
driver = noop
`

export const placementConfiguration = ({ folder, ports }: Place): string => `[DEFAULT]
log_file = ${folder}/placement.log
use_stderr = false
[placement_database]
connection = ${databaseUrl(ports, 'placement')}
sync_on_startup = true
${tokenSection(ports)}`

/** Loopback, no passwords, and no durability: the data are thrown away. */
export const mariadbArguments = (root: string, data: string, port: number): readonly string[] => [
  '--no-defaults',
  '--user=root',
  `--basedir=${root}/usr`,
  `--datadir=${data}`,
  `--lc-messages-dir=${root}/usr/share/mysql`,
  `--character-sets-dir=${root}/usr/share/mysql/charsets`,
  `--plugin-dir=${root}/usr/lib/mysql/plugin`,
  '--skip-grant-tables',
  '--skip-name-resolve',
  '--socket=mariadb.sock',
  '--bind-address=127.0.0.1',
  `--port=${port}`,
  '--character-set-server=utf8mb3',
  '--collation-server=utf8mb3_general_ci',
  '--max-connections=200',
  '--innodb-buffer-pool-size=128M',
  '--innodb-log-file-size=16M',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-doublewrite=0',
]

/**
 * uWSGI closes the connection after each response and says so. One process, because each takes seconds
 * to load.
 */
export const uwsgiArguments = (root: string, port: number, file: string): readonly string[] => [
  '--plugins-dir',
  `${root}/usr/lib/uwsgi/plugins`,
  '--plugins',
  'python311',
  '--http-socket',
  `127.0.0.1:${port}`,
  '--add-header',
  'Connection: close',
  '--post-buffering',
  '65536',
  '--buffer-size',
  '65535',
  '--master',
  '--processes',
  '1',
  '--enable-threads',
  '--lazy-apps',
  '--thunder-lock',
  '--die-on-term',
  '--no-orphans',
  '--worker-reload-mercy',
  '5',
  '--need-app',
  '--disable-logging',
  '--wsgi-file',
  file,
]
