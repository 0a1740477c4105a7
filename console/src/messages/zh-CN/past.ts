import type { Messages } from '../en/index.ts'

export const past: Messages['past'] = {
  label: '时间',
  now: '当前',
  hourAgo: '一小时前',
  dayAgo: '昨天此时',
  choose: '选择时间…',
  title: '查看过去的资源清单',
  time: '时间',
  recorded: '有记录的时间',
  since: (time) => `自 ${time} 起有记录`,
  show: '查看',
  notATime: '请输入日期和时间',
  inFuture: '该时间尚未到来',
  notRecorded: '该时间没有记录',
  nothing: '目前还没有任何记录',
  tooEarly: (time) => `${time} 之前没有记录`,
  shown: (time) => `您看到的是过去：${time}。`,
  text: '此时不能执行操作。权限和项目名称为当前值。',
  preparing: (percent) => `正在准备该时刻的数据：${percent}`,
  back: '回到当前',
  compare: '与当前比较',
  gaps: '未观测',
  gap: (account, from, until) =>
    `${account} ${
      from === undefined
        ? `在 ${until ?? '此前'} 之前`
        : until === undefined
          ? `自 ${from} 起`
          : `从 ${from} 到 ${until}`
    }未被观测，其服务器显示为最后一次看到的状态。`,
  servers: {
    title: '比较服务器',
    field: '属性',
    different: '不同',
    same: '相同',
    none: '无',
    between: '请选择 2 到 5 台服务器',
  },
  diff: {
    title: '差异',
    between: (from, to) => `从 ${from} 到 ${to}`,
    counts: (appeared, gone, changed) => `新出现 ${appeared}，已消失 ${gone}，有变更 ${changed}`,
    changes: { appeared: '新出现', gone: '已消失', changed: '有变更' },
    empty: '没有差异',
    emptyText: '变更后又恢复原状的服务器不在其中。变更页面列出每一项变更。',
    toChanges: '这段时间的全部变更',
    toPast: '当时的服务器',
    change: '类型',
    server: '服务器',
    what: '差异',
  },
}
