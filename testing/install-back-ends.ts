import { buildClient } from './access-key/build.ts'
import { installMoto } from './aws/install.ts'
import { installCas } from './cas/install.ts'
import { installPythonGenerator, installTypeScriptGenerator } from './generated-clients/install.ts'
import { installIncus } from './incus/install.ts'
import { installKeycloak } from './keycloak/install.ts'
import { installSamba, installSlapd } from './ldap/install.ts'
import { installLibvirt } from './libvirt/install.ts'
import { installMcpClient, installMcpInspector } from './mcp/install.ts'
import { installOpenStack } from './openstack/install.ts'
import { installVcsim } from './vsphere/install.ts'

/**
 * Installs what the tests with `--back-ends` need. They would do so themselves, each of them beside the
 * others. A failure is reported by the test that needs the back end.
 */
const installs: readonly (() => unknown)[] = [
  installLibvirt,
  installIncus,
  installOpenStack,
  installMoto,
  installCas,
  installKeycloak,
  installSlapd,
  installSamba,
  installVcsim,
  buildClient,
  installPythonGenerator,
  installTypeScriptGenerator,
  installMcpClient,
  installMcpInspector,
]

for (const install of installs) {
  try {
    await install()
  } catch (error) {
    process.stderr.write(`${install.name}: ${(error as Error).message}\n`)
  }
}
