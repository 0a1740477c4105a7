import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runApt } from '../debian.ts'

const cache = join(import.meta.dirname, '../../node_modules/.cache')

const basicPackages = [
  'python3-keystone',
  'python3-nova',
  'mariadb-server-core',
  'memcached',
  'uwsgi-core',
  'uwsgi-plugin-python3',
  'python3-pymemcache',
]
const computePackages = ['python3-placement', 'rabbitmq-server']

/**
 * Packages that the others depend on but that Nova's API, Keystone and the fake driver never load.
 * They are a third of the download.
 */
const unused =
  /^(python3-(mypy|ceph|cephfs|rados|rbd|rgw|numpy|sphinx|grpcio|gevent|confluent-kafka|zmq|alabaster|snowballstemmer|docutils)|lib(rgw2|rados2|rbd1|cephfs2|blas3|lapack3|gfortran5|protobuf32|rdkafka1|boost-.*|isns0|openiscsiusr|norm1|pgm-.*|zmq5|xdp1|re2-.*|fmt9)|sphinx-common|docutils-common|sudo|udev|open-iscsi|systemd.*|logrotate|ieee-data|erlang-snmp)$/

interface InstalledOpenStack {
  /** The folder with the files of the packages. */
  readonly root: string
  readonly env: NodeJS.ProcessEnv
}

/** What apt would install on top of the packages of this machine, with versions. */
function missingPackages(names: readonly string[]): readonly string[] {
  const plan = runApt('apt-get', ['install', '--simulate', '--no-install-recommends', ...names])
  const lines = plan.matchAll(/^Inst (\S+) (?:\[\S+\] )?\((\S+)/gm)
  const wanted = [...lines].filter(([, name = '']) => !unused.test(name))
  return wanted.map(([, name, version]) => `${name}=${version}`).sort()
}

/**
 * Unpacks Debian's packages of OpenStack into a folder of their own. An installation would take three
 * minutes instead of one, start services and change the machine.
 */
export function installOpenStack({ compute = false } = {}): InstalledOpenStack {
  const names = [...basicPackages, ...(compute ? computePackages : [])]
  // Its configuration is needed, but not the packages that it depends on.
  const packages = [...missingPackages(names), 'nova-common']
  const digest = createHash('sha256').update(packages.join()).digest('hex').slice(0, 16)
  const root = join(cache, `openstack-${digest}`)
  if (!existsSync(root)) unpack(packages, root)
  const bin = ['usr/sbin', 'usr/bin'].map((folder) => join(root, folder))
  const env = {
    // Debian's Python, which must be the first in the path: uWSGI embeds it.
    PATH: [...bin, '/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(':'),
    LC_ALL: 'C.UTF-8',
    PYTHONPATH: join(root, 'usr/lib/python3/dist-packages'),
    LD_LIBRARY_PATH: ['usr/lib/x86_64-linux-gnu', 'lib/x86_64-linux-gnu']
      .map((folder) => join(root, folder))
      .join(':'),
  }
  return { root, env }
}

/** Unpacked into a temporary folder and renamed, so that nobody sees it incomplete. */
function unpack(packages: readonly string[], root: string): void {
  mkdirSync(cache, { recursive: true })
  const building = mkdtempSync(join(cache, 'openstack-building-'))
  const archives = join(building, 'archives')
  mkdirSync(archives)
  runApt('apt-get', ['download', '--quiet', ...packages], archives)
  for (const archive of readdirSync(archives)) {
    execFileSync('dpkg-deb', ['--extract', join(archives, archive), building])
  }
  rmSync(archives, { recursive: true })
  try {
    renameSync(building, root)
  } catch (error) {
    rmSync(building, { recursive: true })
    // Another test may have finished first.
    if (!existsSync(root)) throw error
  }
}
