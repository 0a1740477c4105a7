const id = '3f6b2c1e-5d0a-4c8e-9a57-1b2c3d4e5f60'

export const prometheusExample = [
  {
    targets: ['10.4.0.7:9100'],
    labels: {
      __meta_muster_id: id,
      __meta_muster_name: 'web-7',
      __meta_muster_status: 'running',
      __meta_muster_tag_user_env: 'prod',
    },
  },
]

export const ansibleExample = {
  _meta: {
    hostvars: {
      'web-7': {
        ansible_host: '10.4.0.7',
        muster_id: { __ansible_unsafe: id },
        muster_tags: { 'user:env': { __ansible_unsafe: 'prod' } },
      },
    },
    left_out: { no_address: [], name: [] },
  },
  all: { hosts: ['web-7'] },
  provider_Aws: { hosts: ['web-7'] },
}

export const sshConfigExample = 'Host web-7\n  HostName 10.4.0.7\n'

export const hostsExample = '10.4.0.7 web-7\n'
