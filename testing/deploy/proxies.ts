import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { issuedCertificate, privateKey } from '../../server/src/testing/secure-server.ts'
import {
  repository,
  temporaryFolder,
  type Lifetime,
} from '../../server/src/testing/spawn-muster.ts'
import { unpackPackage } from '../debian.ts'
import { freePort } from '../free-port.ts'

const nodeAddresses = ['10.0.0.11:8400', '10.0.0.12:8400'] as const

/** The example in `deploy` with the addresses, ports and files of this machine. */
function adapt(example: string, changes: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(repository, 'deploy', example), 'utf8')
  for (const [from, to] of Object.entries(changes)) {
    if (!text.includes(from)) throw new Error(`${example} does not contain ${from}`)
    text = text.replaceAll(from, to)
  }
  return text
}

interface Place {
  readonly folder: string
  readonly port: number
  readonly plainPort: number
  /** Without the scheme. */
  readonly nodes: readonly [string, string]
}

const changesFor = ({ folder, nodes }: Place, tlsFolder: string) => ({
  [nodeAddresses[0]]: nodes[0],
  [nodeAddresses[1]]: nodes[1],
  [`${tlsFolder}/muster.pem`]: join(folder, 'muster.pem'),
  [`${tlsFolder}/muster.key`]: join(folder, 'muster.key'),
})

/** How each proxy is configured, checked and run. */
const proxies = {
  nginx(place: Place) {
    const { folder, port, plainPort } = place
    const site = adapt('nginx/muster.conf', {
      ...changesFor(place, '/etc/nginx/tls'),
      'listen 80;': `listen 127.0.0.1:${plainPort};`,
      'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
      'https://muster.example.org$': `https://localhost:${port}$`,
      'server_name muster.example.org': 'server_name localhost',
    })
    writeFileSync(join(folder, 'site.conf'), site)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join('\n')
    const file = join(folder, 'nginx.conf')
    writeFileSync(
      file,
      `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; pid ${folder}/pid; error_log stderr error; worker_processes 1; events {}
http { access_log off; ${temporary} include ${folder}/site.conf; }`,
    )
    const program = join(unpackPackage('nginx'), 'usr/sbin/nginx')
    const args = ['-p', folder, '-e', 'stderr', '-c', file]
    return { program, check: ['-t', ...args], run: args }
  },
  caddy(place: Place) {
    const { folder, port, plainPort } = place
    const site = adapt('caddy/Caddyfile', {
      ...changesFor(place, '/etc/caddy/tls'),
      'muster.example.org {': `https://localhost:${port} {`,
    })
    const file = join(folder, 'Caddyfile')
    writeFileSync(
      file,
      `{\nadmin off\nhttp_port ${plainPort}\nhttps_port ${port}\ndefault_bind 127.0.0.1\nlog {\nlevel ERROR\n}\n}\n${site}`,
    )
    const program = join(unpackPackage('caddy'), 'usr/bin/caddy')
    const args = ['--config', file, '--adapter', 'caddyfile']
    return { program, check: ['validate', ...args], run: ['run', ...args] }
  },
}
export type ProxyName = keyof typeof proxies
export const proxyNames = Object.keys(proxies) as ProxyName[]

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return await once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}

/** Ports for the proxy, so that Muster can be told its public address before the proxy starts. */
export const reservePorts = async () => ({ port: await freePort(), plainPort: await freePort() })

/** Checks the example of a proxy with its own program, then runs it in front of two nodes. */
export async function startProxy(
  lifetime: Lifetime,
  name: ProxyName,
  ports: { readonly port: number; readonly plainPort: number },
  nodes: readonly [string, string],
) {
  const folder = temporaryFolder(lifetime)
  writeFileSync(join(folder, 'muster.pem'), issuedCertificate)
  writeFileSync(join(folder, 'muster.key'), privateKey)
  const { program, check, run } = proxies[name]({ folder, ...ports, nodes })
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  execFileSync(program, check, { stdio: 'pipe', env })
  const child = spawn(program, run, { stdio: 'ignore', env })
  const exited = once(child, 'exit')
  lifetime.after(async () => {
    child.kill('SIGTERM')
    await exited
  })
  while (!(await accepts(ports.port))) {
    if (child.exitCode !== null) throw new Error(`${name} ended`)
    await pause(50)
  }
}
