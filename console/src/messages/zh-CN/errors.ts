import type { Messages } from '../en/index.ts'

export const errors: Messages['errors'] = {
  requestId: '请求编号',
  offline: '您已离线',
  offlineText: '当前显示的是之前的数据。网络恢复后会重新加载。',
  unreachable: 'Muster 没有应答',
  unreachableText: '请求没有送达，或应答没有返回。请确认 Muster 正在运行，然后重试。',
  forbidden: '您无权查看',
  forbiddenText: (details) => `${details} 请向管理员申请相应的角色，或切换到您有权限的项目。`,
  notFound: '不存在，或您无权查看',
  unavailable: 'Muster 正忙，或数据库不可用',
  unavailableText: (details) => `${details} 通常几秒钟后即可恢复。`,
  failed: 'Muster 内部出错',
  failedText: '错误已按下面的请求编号记入日志，请告知 Muster 的运维人员。',
  refused: 'Muster 拒绝了该请求',
  unexpected: '页面出错',
  unexpectedText: '请重新加载。如果仍然出错，则是我们的问题。',
  noPage: '没有这个页面',
  noPageText: '地址可能有误，或来自旧版本。',
  toOverview: '前往总览',
}
