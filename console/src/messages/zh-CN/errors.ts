import type { Messages } from '../en/index.ts'

export const errors: Messages['errors'] = {
  requestId: '请求 ID',
  unreachable: '无法连接 Muster',
  unreachableText: '连接失败。请确认 Muster 正在运行，然后重试。',
  forbidden: '无权访问',
  forbiddenText: (details) => `${details} 请向管理员申请相应的角色，或切换到其他项目。`,
  noRole: '您还没有角色',
  noRoleText: '请向项目所有者或管理员申请角色，然后退出并重新登录。',
  notFound: '未找到，或您无权访问',
  unavailable: 'Muster 正忙，或数据库不可用',
  limited: '请求过多',
  retryText: (span) => `请在${span}后重试。`,
  retryLaterText: '请几秒钟后重试。',
  failed: '内部错误',
  failedText: '错误已按下面的请求 ID 记入日志，请将其告知 Muster 管理员。',
  refused: '请求被拒绝',
  unexpected: '页面出错',
  unexpectedText: '请重新加载。如果仍然出错，请提交缺陷报告。',
  noPage: '页面不存在',
  noPageText: '请检查地址。',
  toOverview: '前往概览',
}
