import type { Messages } from '../en/index.ts'

export const scope: Messages['scope'] = {
  name: '范围：',
  hint: '该数字统计的范围',
  system: '整个系统',
  domain: (name) => `域：${name}`,
  project: (name) => `项目：${name}`,
  self: '仅您自己的',
}
