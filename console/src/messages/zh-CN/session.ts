import type { Messages } from '../en/index.ts'

export const session: Messages['session'] = {
  title: '登录',
  lead: '统一管理各云平台和虚拟化平台上的所有虚拟机。',
  user: '用户名',
  password: '密码',
  domain: '域',
  domainHint: '留空则为 Default',
  logIn: '登录',
  withProvider: (name) => `通过 ${name} 登录`,
  failed: '用户名或密码错误。多次失败后，登录会变慢。',
  ended: '会话已结束。重新登录后可继续之前的操作。',
  loggedOut: '您已退出登录。',
  casFailed: '在身份提供方的登录失败。请重试，或使用密码登录。',
  demoTitle: '试用演示环境',
  demoLead: '浏览会随时间变化的模拟服务器。请选择用户。',
  demoAs: (name) => `以 ${name} 登录`,
  actions: {
    list: '列出',
    get: '查看',
    create: '创建',
    update: '更新',
    delete: '删除',
    perform: '操作',
  },
  notAllowed: (deed, resource, roles) =>
    roles === ''
      ? `您在这里没有角色，不能${deed} ${resource}`
      : `您在这里的角色（${roles}）不允许${deed} ${resource}`,
  changedElsewhere: '您的会话已在另一个标签页中改变',
  changedElsewhereText: '项目已切换，或由其他用户登录。没有做任何修改。请重新加载页面。',
}
