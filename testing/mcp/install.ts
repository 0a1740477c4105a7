import { join } from 'node:path'
import { installNode } from '../node-packages.ts'
import { installPython } from '../python-environment.ts'

/** Installs PyPI's client of MCP, once, and returns the path of its Python. */
export const installMcpClient = (): string =>
  installPython('mcp-client', join(import.meta.dirname, 'requirements.txt'))

/** Installs the inspector of MCP, once, and returns its folder. It is no dependency of the repository: it has 110 MB. */
export const installMcpInspector = (): string => installNode('mcp-inspector', import.meta.dirname)
