#include "client/certificates.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace pleiad::client {
namespace {

namespace fs = std::filesystem;

class CertificatesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("pleiad_certificates_" + std::to_string(::getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path put(const fs::path& path) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << "x";
    return root_ / path;
  }
  fs::path root_;
};

TEST_F(CertificatesTest, TheUsersChoiceIsTakenEvenWhereNothingIsThere) {
  put("etc/ssl/certs/ca-certificates.crt");
  EXPECT_EQ(find_certificates("/no/such.pem", put("own.pem"), root_), "/no/such.pem");
}

TEST_F(CertificatesTest, LibcurlsOwnPlaceComesFirstWhereThereIsAFile) {
  const fs::path debian = put("etc/ssl/certs/ca-certificates.crt");
  const fs::path own = put("own.pem");
  EXPECT_EQ(find_certificates({}, own, root_), own);
  EXPECT_EQ(find_certificates({}, root_ / "missing.pem", root_), debian);
}

TEST_F(CertificatesTest, EachDistributionsPlaceIsFound) {
  for (const char* place :
       {"etc/ssl/certs/ca-certificates.crt", "etc/pki/tls/certs/ca-bundle.crt",
        "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "etc/ssl/ca-bundle.pem",
        "var/lib/ca-certificates/ca-bundle.pem", "etc/ssl/cert.pem"}) {
    const fs::path file = put(place);
    EXPECT_EQ(find_certificates({}, {}, root_), file);
    fs::remove(file);
  }
}

TEST_F(CertificatesTest, AFolderIsNoFileOfCertificates) {
  fs::create_directories(root_ / "etc/ssl/certs/ca-certificates.crt");
  EXPECT_EQ(find_certificates({}, root_, root_), "");
}

}  // namespace
}  // namespace pleiad::client
