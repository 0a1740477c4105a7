import type { Messages } from '../en/index.ts'

export const session: Messages['session'] = {
  title: '登录',
  lead: '您的每一台服务器，无论在哪个云、哪种虚拟化平台上。',
  user: '用户',
  password: '密码',
  domain: '域',
  domainHint: '仅当您的域不是 Default 时填写',
  logIn: '登录',
  withProvider: (name) => `通过 ${name} 登录`,
  failed: '用户与密码不匹配，请检查后重试。多次失败后，Muster 会逐渐延长等待时间。',
  ended: '会话已结束。重新登录后，将回到您刚才的位置。',
  loggedOut: '您已退出登录。',
  casFailed: '在身份提供方的登录没有成功。请重试，或使用密码登录。',
  demoTitle: '试用演示环境',
  demoLead: '一批会自行变化的模拟服务器。请选择以谁的身份查看。',
  demoAs: (name) => `以 ${name} 登录`,
  actions: {
    list: '列出',
    get: '查看',
    create: '新建',
    update: '修改',
    delete: '删除',
    perform: '操作',
  },
  notAllowed: (deed, resource, roles) =>
    roles === ''
      ? `您在这里没有角色，不能${deed} ${resource}`
      : `您在这里的角色（${roles}）不允许${deed} ${resource}`,
  changedElsewhere: '您的会话已在另一个标签页中改变',
  changedElsewhereText:
    '现在处于另一个项目，或由他人登录。没有做任何修改。请重新加载页面并确认当前位置。',
}
