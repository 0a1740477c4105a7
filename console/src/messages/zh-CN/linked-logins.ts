import type { AllMessages } from '../en/later.ts'

export const linkedLogins: AllMessages['linkedLogins'] = {
  loginsLead:
    '您可以用这些身份提供方的账号以当前用户登录。关联后，角色和访问密钥保持不变。如果您没有密码，且长时间未在那里登录，访问密钥将停止工作。',
  linkLogin: '关联登录',
  linkLoginText: '请输入您的密码，然后在身份提供方登录。之后两种方式都可以登录。',
  provider: '身份提供方',
  goToProvider: '前往身份提供方',
  noProviders: '没有身份提供方',
  linkOutcomes: {
    yes: '登录已关联，您可以用它登录。',
    no: '登录未关联。它可能属于其他用户，或者操作超过了 10 分钟。',
  },
}
