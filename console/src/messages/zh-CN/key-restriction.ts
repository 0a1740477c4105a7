import type { AllMessages } from '../en/later.ts'

export const keyRestriction: AllMessages['keyRestriction'] = {
  restriction: '限制',
  unrestricted: '无',
  extent: '密钥可以',
  extents: {
    all: '执行其用户可以执行的一切操作',
    read_only: '只读',
    actions: '读取，并对服务器执行部分操作',
  },
  keyActions: {
    start: '开机',
    stop: '关机',
    restart: '重启',
    reset: '强制重启',
    suspend: '挂起',
    resume: '恢复运行',
    'change-config': '调整配置',
    syncstatus: '同步',
    update: '编辑和打标签',
    delete: '删除、恢复和移除',
  },
  oneProject: '其他范围的角色无效',
  networks: '允许的来源',
  networksHint: '地址或网段，用空格分隔，例如 192.0.2.0/24。留空表示任意来源。',
  onlyActions: (actions) => `仅限：${actions}`,
  onlyProjects: (projects) => `项目：${projects}`,
  onlyFrom: (networks) => `来源：${networks}`,
}
