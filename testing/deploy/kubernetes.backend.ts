import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  musterCommand,
  repository,
  spawnProcess,
  suiteLifetime,
  temporaryFolder,
} from '../../server/src/testing/spawn-muster.ts'
import { installPython } from '../python-environment.ts'

const folder = join(repository, 'deploy/kubernetes')
const files = globSync('*.yaml', { cwd: folder }).sort()

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data: Readonly<Record<string, string>>
  readonly stringData: Readonly<Record<string, string>>
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly enableServiceLinks: boolean
        readonly securityContext: object
        readonly containers: readonly [
          {
            readonly args: readonly string[]
            readonly securityContext: object
            readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
          },
        ]
      }
    }
  }
}

describe('the Kubernetes manifests', () => {
  const lifetime = suiteLifetime()
  const python = installPython('kubernetes', join(import.meta.dirname, 'requirements.txt'))
  const manifests = JSON.parse(
    execFileSync(
      python,
      [
        '-c',
        'import json,sys,yaml; print(json.dumps([yaml.safe_load(open(f)) for f in sys.argv[1:]]))',
        ...files,
      ],
      { cwd: folder, encoding: 'utf8' },
    ),
  ) as Manifest[]
  const find = (kind: string) => {
    const found = manifests.find((manifest) => manifest.kind === kind)
    assert.ok(found, kind)
    return found
  }

  test('match the schemas of Kubernetes, without unknown fields', () => {
    assert.ok(files.length >= 8)
    // Throws, with what it prints, if one does not match.
    execFileSync(python, ['-m', 'kubernetes_validate', '--strict', ...files], {
      cwd: folder,
      stdio: 'pipe',
    })
  })

  test('run under the restricted pod security standard, without variables of services', () => {
    const pod = find('Deployment').spec.template.spec
    assert.equal(pod.enableServiceLinks, false)
    assert.deepEqual(pod.securityContext, {
      runAsNonRoot: true,
      runAsUser: 10_001,
      runAsGroup: 10_001,
      fsGroup: 10_001,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    assert.deepEqual(pod.containers[0].securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('have a configuration that Muster accepts, and secrets for every file it names', async () => {
    const toml = find('ConfigMap').data['muster.toml'] ?? ''
    const { stringData } = find('Secret')
    const [{ args, volumeMounts }] = find('Deployment').spec.template.spec.containers
    const mounted = volumeMounts.find(({ name }) => name === 'secrets')?.mountPath ?? ''
    const place = temporaryFolder(lifetime)
    for (const [name, text] of Object.entries(stringData)) writeFileSync(join(place, name), text)
    const config = join(place, 'muster.toml')
    writeFileSync(config, toml.replaceAll(mounted, place))
    assert.deepEqual(args, ['serve', '--config', '/etc/muster/muster.toml'])
    const [node, program] = musterCommand
    const check = spawnProcess(lifetime, {
      command: [node, program, 'config', 'check', '--config', config],
    })
    const { code, stdout, stderr } = await check.exited
    assert.equal(code, 0, stderr)
    for (const name of Object.keys(stringData))
      assert.ok(toml.includes(`${mounted}/${name}"`), name)
    assert.match(stdout, /database_url .*\(set\)/i)
  })
})
