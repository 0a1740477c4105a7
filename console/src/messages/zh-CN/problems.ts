import type { Messages } from '../en/index.ts'

export const problems: Messages['problems'] = {
  tasks: {
    cancelled: '已取消，没有向来源发送任何请求。',
    permission_lost: '任务开始时，用户已没有该权限，或服务器已被移动。',
    not_reached: '无法连接来源，因此没有发送该请求。',
    source_refused: '来源拒绝了请求，没有执行任何操作。',
    source_failed: '来源已开始执行，但没有完成。',
    no_answer: '来源没有响应，或报告了自身的错误。',
    time_limit: '未在时限内结束。',
    server_gone: '来源中已没有这台服务器。',
    interrupted: '请求发送之后，Muster 或该账号已停止。请检查服务器，如仍需要，请重新操作。',
  },
  guestRuns: (seconds) =>
    seconds === ''
      ? '来源已请求客户机关机，但客户机仍在运行。'
      : `来源已请求客户机关机，但 ${seconds} 秒后客户机仍在运行。`,
  answer: (text) => `详情：${text}`,
  shown: (status) => `当时服务器的状态：${status}。`,
  done: (requests) => `已完成：${requests}。`,
  remaining: (requests) => `未完成：${requests}。`,
  list: '、',

  accountDeleted: '该服务器的账号已删除。',
  accountDisabled: (name) => `账号 ${name} 已禁用。请先启用。`,
  accountReports: (name) => `账号 ${name} 仍报告这台服务器。只能移除来源中已不存在的服务器。`,
  accountMisses: (name) => `账号 ${name} 没有报告这台服务器。`,
  notPermitted: (action, resource) => `您在这里没有权限${action}${resource}。`,
  observed: (name) => `账号 ${name} 仅用于观察。系统管理员可以在其设置中允许操作。`,
  silent: (name) => `账号 ${name} 的来源没有响应。原因见该账号。`,
  unsupported: (name, action) => `账号 ${name} 的来源不支持此操作：${action}。`,
  already: (status) => `服务器已处于此状态：${status}。`,
  wrongStatus: (status, action, from) =>
    `服务器的状态为${status}。可以执行“${action}”的状态：${from}。`,
  changing: (status) => `服务器的状态为${status}。请等待来源完成。`,
  deleted: '服务器已删除。',
  inBin: '服务器在回收站中。请先还原。',
  notInBin: '服务器不在回收站中。',
  protectedBy: {
    source: '服务器在来源中受删除保护。请先关闭保护。',
    muster: '服务器在 Muster 中受删除保护。请先关闭保护。',
  },
  lostOnStop: (reason) => `关机会毁掉这台服务器：${reason} 只能不经过回收站立即删除。`,
  cannotChange: (field) => `来源不支持：${field}。`,
  unfinished: (action) => `这台服务器的另一个任务尚未结束：${action}。请等待，或取消它。`,
  tooMany: {
    batches: (most) => `您有 ${most} 个未完成的批次。请等待其中一个结束，或取消一个。`,
    tasks: (most) => `您有 ${most} 个排队中的任务。请等待部分任务结束，或在列表中选择多台服务器。`,
  },
}
