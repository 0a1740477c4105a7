import type { Messages } from '../en/index.ts'

export const connection: Messages['connection'] = {
  live: '实时',
  liveHint: '标签页可见时，数据会自动刷新。',
  disconnected: (time) => `自 ${time} 起连接断开，正在重试`,
  disconnectedText: 'Muster 没有响应。恢复后页面会自动刷新。',
  offlineText: '此设备已离线。网络恢复后页面会自动刷新。',
  waiting: (time) => `自 ${time} 起等待数据`,
  waitingText: 'Muster 有响应，但此页面的部分数据未能刷新。',
  retry: '立即重试',
  searching: '正在搜索…',
}
