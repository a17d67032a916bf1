//! A server of nginx's.
use std::fs;

use ciphertune_results::compare::Change;

use super::{Check, Evidence, LIBCRYPTO, Profile, RECORDS, Setting, openssl::SUITES, times_as_fast, words};

pub static PROFILE: Profile = Profile {
    title: "a server, or all of http, in nginx.conf",
    library: LIBCRYPTO,
    algorithms: &["AES-256-GCM", "ChaCha20-Poly1305", "AES-128-GCM"],
    lengths: RECORDS,
    has_masks: true,
    note: records,
    setting: Setting::Order(|order| {
        Ok(format!(
            "ssl_prefer_server_ciphers on;\nssl_conf_command Ciphersuites {};\n\
             ssl_ciphers {}:HIGH:!aNULL:!MD5;\n",
            words(order, SUITES, ":"),
            words(order, SELECTIONS, ":")
        ))
    }),
    check: Some(&Check {
        name: "nginx",
        ask: |command, folder, _| {
            fs::write(folder.join("nginx.conf"), SERVER)?;
            command
                .current_dir(folder)
                .args(["-t", "-e", "stderr", "-c", "nginx.conf", "-p"])
                .arg(folder);
            Ok(())
        },
        accepts: |_, _| true,
    }),
};

/// What smaller records would cost.
fn records(evidence: &Evidence) -> String {
    let change = evidence.times_at(16384, 1350).filter(Change::is_lead);
    change.map_or_else(String::new, |change| {
        format!(
            "# Records of 16 KiB, nginx's own ssl_buffer_size, are {} the same bytes in records of 1350 B, which fit a \
             packet.\n",
            times_as_fast(change.ratio)
        )
    })
}

/// OpenSSL's words for the suites of TLS 1.2.
const SELECTIONS: &[(&str, &str)] = &[
    ("AES-128-GCM", "ECDHE+AESGCM+AES128"),
    ("AES-256-GCM", "ECDHE+AESGCM+AES256"),
    ("ChaCha20-Poly1305", "ECDHE+CHACHA20"),
];

/// A server with the snippet, and with nothing outside the folder that it is checked in: that one's name may have spaces, or
/// be longer than a socket's may be.
const SERVER: &str = "\
pid pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  include snippet;
  server { listen unix:socket; }
}
";
